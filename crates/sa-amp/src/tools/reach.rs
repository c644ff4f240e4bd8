//! The effects of tools.

use sa_shell::{Names, only_reads};
use serde_json::Value;

/// Tools that change nothing outside of the conversation, or whose own tools are asked about one by one.
const READING: Names = Names(
    "Read Glob Grep Task chart commit_search diff find_thread finder get_diagnostics get_document glob \
     glob_github librarian list_directory list_directory_github list_repositories look_at mermaid oracle \
     read_file read_github read_mcp_resource read_thread read_web_page search_documents search_github \
     skill task_list todo_read todo_write view_image web_search",
);

/// Returns whether a use of a tool may change something. Unknown tools may.
pub(crate) fn changes_something(tool: &str, input: &Value) -> bool {
    match command_line(tool, input) {
        Some(command) => !only_reads(command),
        None => !READING.contains(tool),
    }
}

/// Stands for a command that is not known: it never counts as one that only reads.
const UNKNOWN: &str = "\n";

/// Returns the command that a tool runs, if it runs one. Versions differ in the member, so two that differ say nothing.
pub(crate) fn command_line<'a>(tool: &str, input: &'a Value) -> Option<&'a str> {
    if !matches!(tool, "Bash" | "shell_command") {
        return None;
    }
    Some(match (&input["cmd"], &input["command"]) {
        (Value::String(command), Value::Null) | (Value::Null, Value::String(command)) => command,
        (Value::String(command), Value::String(other)) if command == other => command,
        _ => UNKNOWN,
    })
}

/// Returns whether a tool changes files.
pub(crate) fn is_edit(tool: &str) -> bool {
    matches!(tool, "create_file" | "edit_file" | "delete_file" | "undo_edit" | "apply_patch" | "format_file")
}

/// Returns whether a tool is another agent.
pub(crate) fn is_agent(tool: &str) -> bool {
    matches!(tool, "Task" | "oracle" | "librarian" | "finder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_that_are_not_known_count_as_changing() {
        for (tool, input) in [
            ("create_file", json!({})),
            ("mcp__server__tool", json!({})),
            ("Bash", json!({})),
            ("shell_command", json!({ "command": "ls; rm a" })),
            ("Bash", json!({ "cmd": "ls", "command": "rm a" })),
            ("shell_command", json!({ "cmd": "ls", "command": ["rm", "a"] })),
        ] {
            assert!(changes_something(tool, &input), "{tool} {input}");
        }
        assert!(!changes_something("Bash", &json!({ "cmd": "ls" })));
        assert!(!changes_something("Read", &json!({})));
    }

    #[test]
    fn no_harmful_command_counts_as_reading_and_common_ones_do() {
        for (tool, member) in [("Bash", "cmd"), ("shell_command", "command")] {
            sa_testkit::harm::assert_judged(|line| changes_something(tool, &json!({ member: line })));
        }
    }
}
