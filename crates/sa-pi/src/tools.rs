//! The CLI's tools as ACP shows them.

use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolCallStatus, ToolKind};
use sa_acp::{
    Described, Disk, Outcome, absolute, fenced, fits_one_line, humanised, one_line, paragraph, place,
    printed, shown, terminal_exit, terminal_output,
};
use sa_shell::only_reads;
use serde_json::{Value, json};
use std::path::Path;

/// The line that the CLI appends to the output of a command that failed.
const EXITED: &str = "Command exited with code ";

/// The text that the CLI reports for a command without output.
const NO_OUTPUT: &str = "(no output)";

/// Describes a call. The file that it changes is read from `disk`.
pub(crate) fn describe(tool: &str, input: &Value, cwd: &Path, disk: &dyn Disk) -> Described {
    let text = |key: &str| input[key].as_str().filter(|text| !text.trim().is_empty());
    let described = |kind, title: String| Described::new(tool, kind, title, input.clone());
    let file = |kind, verb: &str| match text("path") {
        Some(path) => Described {
            locations: vec![place(path, input["offset"].as_u64(), cwd)],
            ..described(kind, format!("{verb} {}", shown(path, cwd)))
        },
        None => described(kind, format!("{verb} files")),
    };
    match tool {
        "bash" => {
            let Some(command) = text("command") else {
                return described(ToolKind::Execute, "Run a command".to_owned());
            };
            let whole = (!fits_one_line(command)).then(|| paragraph(fenced("sh", command)));
            let title = format!("`{}`", one_line(command));
            Described { content: whole.into_iter().collect(), ..described(ToolKind::Execute, title) }
        }
        "read" => file(ToolKind::Read, "Read"),
        "ls" => file(ToolKind::Search, "List"),
        "write" => Described { content: diff(input, cwd, disk), ..file(ToolKind::Edit, "Write") },
        "edit" => Described { content: diff(input, cwd, disk), ..file(ToolKind::Edit, "Edit") },
        "grep" | "find" => {
            let pattern = text("pattern").map(one_line).unwrap_or_default();
            described(ToolKind::Search, format!("Search for `{pattern}`"))
        }
        _ => described(ToolKind::Other, humanised(tool)),
    }
}

/// Returns the file before and after a change; only the changed pieces if the file is not as expected.
fn diff(input: &Value, cwd: &Path, disk: &dyn Disk) -> Vec<ToolCallContent> {
    let Some(path) = input["path"].as_str().map(|path| absolute(path, cwd)) else { return Vec::new() };
    let before = disk.read(&path);
    if let Some(content) = input["content"].as_str() {
        let old = before.filter(|old| old != content);
        return vec![Diff::new(path, content).old_text(old).into()];
    }
    let edits = input["edits"].as_array().map(Vec::as_slice).unwrap_or_default();
    let pairs: Vec<_> = edits
        .iter()
        .filter_map(|edit| Some((edit["oldText"].as_str()?, edit["newText"].as_str()?)))
        .collect();
    if let Some(before) = before.filter(|before| pairs.iter().all(|(old, _)| before.contains(old))) {
        let after = pairs.iter().fold(before.clone(), |file, (old, new)| file.replacen(old, new, 1));
        return vec![Diff::new(path, after).old_text(before).into()];
    }
    pairs.into_iter().map(|(old, new)| Diff::new(path.clone(), new).old_text(old.to_owned()).into()).collect()
}

/// Returns whether a call may change something. Unknown tools may.
pub(crate) fn may_change(tool: &str, input: &Value) -> bool {
    match tool {
        "bash" => !input["command"].as_str().is_some_and(only_reads),
        _ => !matches!(tool, "read" | "ls" | "grep" | "find"),
    }
}

/// Describes the result of a call.
pub(crate) fn outcome(id: &str, tool: &str, text: &str, status: ToolCallStatus) -> Outcome {
    if tool == "bash" {
        let (output, code) = match text.rsplit_once(EXITED) {
            Some((output, code)) => (output.trim_end(), code.trim().parse().ok()),
            None => (text, (status == ToolCallStatus::Completed).then_some(0)),
        };
        let output = if output == NO_OUTPUT { "" } else { output };
        let mut meta = terminal_output(id, output);
        meta.extend(terminal_exit(id, code));
        return Outcome {
            meta: Some(meta),
            ..Outcome::new(status, printed(output), json!({ "exitCode": code }))
        };
    }
    let is_change = matches!(tool, "write" | "edit") && status == ToolCallStatus::Completed;
    // The change was shown before it was made.
    let content = if is_change || text.is_empty() { Vec::new() } else { vec![paragraph(fenced("", text))] };
    Outcome::new(status, content, json!({ "text": text }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sa_acp::NoDisk;

    #[test]
    fn unknown_tools_count_as_changing() {
        assert!(may_change("write", &json!({})) && may_change("other", &json!({})));
        assert!(may_change("bash", &json!({ "command": "ls; rm a" })) && may_change("bash", &json!({})));
        assert!(!may_change("bash", &json!({ "command": "ls" })) && !may_change("read", &json!({})));
    }

    #[test]
    fn no_harmful_command_counts_as_reading_and_common_ones_do() {
        for command in sa_testkit::harm::harmful_commands() {
            assert!(may_change("bash", &json!({ "command": command })), "{command}");
        }
        for command in sa_testkit::harm::HARMLESS {
            assert!(!may_change("bash", &json!({ "command": command })), "{command}");
        }
    }

    #[test]
    fn commands_end_with_their_exit_code() {
        let failed = outcome("c", "bash", "boom\n\nCommand exited with code 3", ToolCallStatus::Failed);
        assert_eq!(failed.output, json!({ "exitCode": 3 }));
        assert_eq!(failed.content, [paragraph("```console\nboom\n```")]);
        let input = json!({ "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two" }] });
        let edit = describe("edit", &input, Path::new("/p"), &NoDisk);
        assert_eq!((edit.title.as_str(), edit.content.len()), ("Edit a.txt", 1));
    }
}
