//! The CLI's tools as ACP shows them.

use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolCallStatus, ToolKind};
use sa_acp::{
    Described, Disk, Outcome, ToolInput, absolute, fenced, humanized, one_line, paragraph, printed,
    terminal_meta,
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
    let call = ToolInput { tool, value: input, cwd };
    let file = |kind, verb: &str| match call.text(&["path"]) {
        Some(_) => call.file(kind, verb, &["path"], input["offset"].as_u64()),
        None => call.described(kind, format!("{verb} files")),
    };
    match tool {
        "bash" => call.command(call.text(&["command"])),
        "read" => file(ToolKind::Read, "Read"),
        "ls" => file(ToolKind::Search, "List"),
        "write" => Described { content: diff(input, cwd, disk), ..file(ToolKind::Edit, "Write") },
        "edit" => Described { content: diff(input, cwd, disk), ..file(ToolKind::Edit, "Edit") },
        "grep" | "find" => {
            let pattern = call.text(&["pattern"]).map(one_line).unwrap_or_default();
            call.described(ToolKind::Search, format!("Search for `{pattern}`"))
        }
        _ => call.described(ToolKind::Other, humanized(tool)),
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
        let meta = Some(terminal_meta(id, output, code));
        return Outcome { meta, ..Outcome::new(status, printed(output), json!({ "exitCode": code })) };
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
        sa_testkit::harm::assert_judged(|line| may_change("bash", &json!({ "command": line })));
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
