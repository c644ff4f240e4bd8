//! The plugin that makes the server ask about every command line, and the mark that it leaves.

use super::native::ask::Permission;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// The plugin.
pub(crate) const PLUGIN: &str = include_str!("gate.mjs");

/// The name of its file.
pub(crate) const FILE: &str = "gate.mjs";

/// Stands before a command line in which the server finds no command. It does nothing.
const MARK: &str = ":\n";

/// Reads an input without the mark.
pub(crate) fn unmarked<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let mut input = Value::deserialize(deserializer)?;
    if let Some(command) = input["command"].as_str().and_then(|command| command.strip_prefix(MARK)) {
        input["command"] = json!(command);
    }
    Ok(input)
}

/// Leaves out the command that the mark is. A line without any other is asked about as a whole, once.
pub(crate) fn without_mark(mut asked: Permission) -> Permission {
    if asked.permission == "bash" {
        asked.patterns.retain(|pattern| pattern != ":");
        asked.always.retain(|pattern| pattern != ": *");
        if asked.patterns.is_empty() {
            asked.always.clear();
            asked.patterns.extend(asked.metadata["command"].as_str().map(str::to_owned));
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn asked(command: &str, patterns: &[&str]) -> Permission {
        let always: Vec<_> = patterns.iter().map(|pattern| format!("{pattern} *")).collect();
        let metadata = json!({ "command": command });
        let asked = json!({ "id": "p", "permission": "bash", "patterns": patterns, "always": always, "metadata": metadata });
        without_mark(serde_json::from_value(asked).unwrap())
    }

    #[test]
    fn the_mark_is_neither_shown_nor_allowed_for_good() {
        let odd = asked(":\n{touch,x}", &[":"]);
        assert_eq!((odd.patterns, odd.always), (vec!["{touch,x}".to_owned()], vec![]));
        assert_eq!(odd.metadata, json!({ "command": "{touch,x}" }));
        let more = asked(":\ncd x; ls y", &[":", "ls y"]);
        assert_eq!((more.patterns, more.always), (vec!["ls y".to_owned()], vec!["ls y *".to_owned()]));
        assert_eq!(asked("ls y", &["ls y"]).metadata, json!({ "command": "ls y" }));
    }
}
