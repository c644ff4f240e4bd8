//! The command lines of the CLI, and the settings that a process is given.

use sa_acp::BasicMode as Mode;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The setting with rules about permissions.
const RULES: &str = "amp.permissions";

/// The purpose of a process of the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// Work on a thread, prompt by prompt.
    Work {
        thread: String,
        cwd: PathBuf,
        /// The agent mode; the CLI's own default if there is none.
        agent_mode: Option<String>,
        /// Set if nothing is asked about.
        bypass: bool,
        /// The settings, as JSON; they may hold secrets of MCP servers.
        settings: String,
    },
    /// Make a thread and print its id.
    NewThread {
        cwd: PathBuf,
    },
    /// Print a thread as JSON.
    Export {
        thread: String,
    },
    /// Print the list of threads as JSON.
    List,
    Delete {
        thread: String,
    },
    /// Print what options there are.
    Help,
}

impl Launch {
    /// The arguments; `settings` is where the settings of this process are.
    pub fn arguments(&self, settings: &Path) -> Vec<OsString> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self {
            Self::Work { thread, agent_mode, bypass, .. } => {
                let mut arguments = words(&["threads", "continue", thread, "-x"]);
                arguments.extend(words(&["--stream-json-thinking", "--stream-json-input", "--no-ide"]));
                arguments.extend(["--settings-file".into(), settings.into()]);
                if let Some(mode) = agent_mode {
                    arguments.extend(words(&["--mode", mode]));
                }
                if *bypass {
                    arguments.push("--dangerously-allow-all".into());
                }
                arguments
            }
            Self::NewThread { .. } => words(&["threads", "new"]),
            Self::Export { thread } => words(&["threads", "export", thread]),
            Self::List => words(&["threads", "list", "--json"]),
            Self::Delete { thread } => words(&["threads", "delete", thread]),
            Self::Help => words(&["--help"]),
        }
    }

    /// Returns where the process works, if that matters.
    pub fn cwd(&self) -> Option<&Path> {
        match self {
            Self::Work { cwd, .. } | Self::NewThread { cwd } => Some(cwd),
            _ => None,
        }
    }
}

/// Returns the user's settings with the additions for this process. Unless nobody is asked, the helper has the last word. Before
/// it count the user's own rules, or in plan mode only refusals: nothing that a rule allows may slip through.
pub(crate) fn settings(
    mut settings: Map<String, Value>,
    servers: &Map<String, Value>,
    mode: Mode,
    helper: &Path,
) -> String {
    if mode != Mode::Bypass {
        let own = match settings.remove(RULES) {
            Some(Value::Array(rules)) => rules,
            _ => Vec::new(),
        };
        let helper = helper.to_string_lossy();
        let mut rules: Vec<_> = own.into_iter().filter_map(|rule| kept(rule, mode, &helper)).collect();
        rules.push(json!({ "tool": "*", "action": "delegate", "to": helper }));
        settings.insert(RULES.to_owned(), Value::Array(rules));
        settings.remove("amp.dangerouslyAllowAll");
    }
    if !servers.is_empty() {
        let all = settings.entry("amp.mcpServers").or_insert_with(|| json!({}));
        if !all.is_object() {
            *all = json!({});
        }
        if let Value::Object(all) = all {
            all.extend(servers.iter().map(|(name, server)| (name.clone(), server.clone())));
        }
    }
    Value::Object(settings).to_string()
}

/// Returns a rule of the user as it counts here. The CLI cannot ask by itself, so rules that ask use the helper.
fn kept(mut rule: Value, mode: Mode, helper: &str) -> Option<Value> {
    match (rule["action"].as_str(), mode) {
        (Some("reject"), _) => Some(rule),
        (_, Mode::Plan) => None,
        (Some("ask"), _) => {
            rule["action"] = json!("delegate");
            rule["to"] = json!(helper);
            Some(rule)
        }
        _ => Some(rule),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rules(mode: Mode) -> Value {
        let user = json!({
            "amp.url": "https://example.com/",
            "amp.dangerouslyAllowAll": true,
            "amp.permissions": [
                { "tool": "Bash", "action": "allow", "matches": { "cmd": "make" } },
                { "tool": "Bash", "action": "reject", "matches": { "cmd": "rm *" } },
                { "tool": "Task", "action": "ask" },
            ],
        });
        let text = settings(user.as_object().unwrap().clone(), &Map::new(), mode, Path::new("/h"));
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_helper_has_the_last_word_and_in_plan_mode_the_first_but_for_refusals() {
        let actions = |settings: &Value| {
            let rules = settings["amp.permissions"].as_array().unwrap().iter();
            rules.map(|rule| rule["action"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let usual = rules(Mode::Default);
        assert_eq!(actions(&usual), ["allow", "reject", "delegate", "delegate"]);
        assert_eq!(
            (&usual["amp.url"], &usual["amp.dangerouslyAllowAll"]),
            (&json!("https://example.com/"), &Value::Null)
        );
        assert_eq!(usual["amp.permissions"][2], json!({ "tool": "Task", "action": "delegate", "to": "/h" }));
        assert_eq!(actions(&rules(Mode::Plan)), ["reject", "delegate"]);
        assert_eq!(rules(Mode::Bypass)["amp.permissions"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn servers_are_added_to_the_users_own() {
        let user = json!({ "amp.mcpServers": { "own": { "command": "x" } } });
        let more = json!({ "new": { "url": "http://y" } });
        let text = settings(
            user.as_object().unwrap().clone(),
            more.as_object().unwrap(),
            Mode::Bypass,
            Path::new("/h"),
        );
        let all: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(all["amp.mcpServers"], json!({ "own": { "command": "x" }, "new": { "url": "http://y" } }));
    }

    #[test]
    fn a_thread_is_continued_in_its_mode() {
        let launch = Launch::Work {
            thread: "T-1".to_owned(),
            cwd: "/project".into(),
            agent_mode: Some("rush".to_owned()),
            bypass: true,
            settings: String::new(),
        };
        let words: Vec<_> =
            launch.arguments(Path::new("/s")).into_iter().map(|word| word.into_string().unwrap()).collect();
        assert_eq!(
            words.join(" "),
            "threads continue T-1 -x --stream-json-thinking --stream-json-input --no-ide --settings-file /s --mode rush --dangerously-allow-all"
        );
    }
}
