//! Descriptions of calls.

use super::super::call;
use super::{CWD, called, report};
use serde_json::{Value, json};
use std::path::Path;

fn snapshot(calls: &[(&str, Value)]) -> String {
    report(calls.iter().map(|(name, input)| called(name, input)))
}

fn title(name: &str, input: Value) -> String {
    called(name, &input)["title"].as_str().unwrap().to_owned()
}

#[test]
fn files() {
    let edit =
        json!({ "file_path": "/project/a.txt", "old_string": "x", "new_string": "y", "replace_all": false });
    insta::assert_snapshot!(snapshot(&[
        ("Read", json!({ "file_path": "/project/src/a.rs" })),
        ("Read", json!({ "file_path": "/elsewhere/b.txt", "offset": 20, "limit": 5 })),
        ("Read", json!({ "file_path": "relative.txt", "offset": 20 })),
        ("Write", json!({ "file_path": "/project/new.txt", "content": "hello\n" })),
        ("Edit", edit),
        ("Edit", json!({ "file_path": "/project/made.txt", "old_string": "", "new_string": "y" })),
        (
            "MultiEdit",
            json!({ "file_path": "/project/a.txt", "edits": [
                { "old_string": "a", "new_string": "b" },
                { "old_string": "c", "new_string": "" },
            ] }),
        ),
        (
            "NotebookEdit",
            json!({ "notebook_path": "/project/n.ipynb", "new_source": "print(1)", "cell_id": "c1" }),
        ),
        ("LS", json!({ "path": "/project/src" })),
    ]));
}

#[test]
fn commands() {
    insta::assert_snapshot!(snapshot(&[
        ("Bash", json!({ "command": "cargo test", "description": "Run the tests" })),
        ("Bash", json!({ "command": "cat <<'E'\n```\nE" })),
        ("BashOutput", json!({ "bash_id": "b1" })),
        ("TaskOutput", json!({ "task_id": "b2", "block": true })),
        ("KillShell", json!({ "shell_id": "b1" })),
        ("TaskStop", json!({ "task_id": "b2" })),
        ("Monitor", json!({ "description": "Watch the log", "command": "tail -f log", "timeout_ms": 1 })),
    ]));
}

#[test]
fn a_long_command_is_cut_in_the_title_and_told_whole() {
    let command = format!("echo {}", "ä".repeat(500));
    let update = called("Bash", &json!({ "command": command }));
    let title = update["title"].as_str().unwrap();
    assert_eq!(title.chars().count(), 121);
    assert!(title.ends_with("ä…"));
    assert!(update["content"][0]["content"]["text"].as_str().unwrap().contains(&command));
}

#[test]
fn a_title_shows_what_there_is() {
    let title = |command: &str| title("Bash", json!({ "command": command }));
    assert_eq!(title("\n  echo a\t b \u{1b}[31m"), "echo a  b  [31m");
    assert_eq!(title("rm \u{202e}txt.elpmaxe"), "rm txt.elpmaxe");
    assert_eq!(title("a\nb"), "a…");
    assert_eq!(title(" "), "Run a command");
}

#[test]
fn searching() {
    insta::assert_snapshot!(snapshot(&[
        ("Glob", json!({ "pattern": "**/*.rs" })),
        ("Glob", json!({ "pattern": "*.md", "path": "/project/docs" })),
        ("Grep", json!({ "pattern": "fn main", "path": "/project", "glob": "*.rs" })),
        ("Grep", json!({ "pattern": "todo", "path": "src", "type": "rust" })),
        ("WebFetch", json!({ "url": "https://example.com/a", "prompt": "What is it?" })),
        ("WebSearch", json!({ "query": "rust acp" })),
        ("ToolSearch", json!({ "query": "select:Read" })),
        ("LSP", json!({ "operation": "goToDefinition", "filePath": "/project/a.rs", "line": 3 })),
    ]));
}

#[test]
fn work_and_lists() {
    insta::assert_snapshot!(snapshot(&[
        ("Agent", json!({ "description": "Look around", "prompt": "Find it.", "subagent_type": "Explore" }),),
        ("Task", json!({ "prompt": "Find it." })),
        ("TodoWrite", json!({ "todos": [{ "content": "a", "status": "pending", "activeForm": "A" }] })),
        ("TaskCreate", json!({ "subject": "First", "description": "Do the first" })),
        ("TaskUpdate", json!({ "taskId": "1", "status": "in_progress" })),
        ("TaskUpdate", json!({ "taskId": 2, "subject": "Other" })),
        ("TaskList", json!({})),
        ("TaskGet", json!({ "taskId": "1" })),
    ]));
}

#[test]
fn asking_and_planning() {
    let options = json!([{ "label": "Red", "description": "Warm" }, { "label": "Blue", "description": "" }]);
    let question =
        |words: &str| json!({ "question": words, "header": "H", "multiSelect": false, "options": options });
    insta::assert_snapshot!(snapshot(&[
        ("AskUserQuestion", json!({ "questions": [question("Which color?")] })),
        ("AskUserQuestion", json!({ "questions": [question("One?"), question("Two?")] })),
        ("EnterPlanMode", json!({})),
        (
            "ExitPlanMode",
            json!({ "plan": "# Plan\n1. Do it\n", "planFilePath": "/home/user/.claude/plans/p.md" }),
        ),
    ]));
}

#[test]
fn tools_of_others() {
    insta::assert_snapshot!(snapshot(&[
        ("mcp__github__create_issue", json!({ "title": "x" })),
        ("mcp__plugin_a_b__do__it", json!({})),
        ("Skill", json!({ "skill": "pdf", "args": "x" })),
        ("SlashCommand", json!({ "command": "/review 1" })),
        ("ReadMcpResource", json!({ "server": "s", "uri": "file:///a" })),
        ("ReportFindings", json!({ "findings": [] })),
        ("PushNotification", json!({ "message": "Done" })),
        ("some_new-tool", json!({ "description": "Does things" })),
    ]));
}

#[test]
fn without_input_there_still_is_a_title() {
    let names = "Read Write Edit MultiEdit NotebookEdit LS Bash BashOutput KillShell Glob Grep WebFetch WebSearch \
                 Agent TodoWrite TaskCreate TaskUpdate AskUserQuestion ExitPlanMode Skill mcp__a__b";
    let titles: Vec<_> = names.split(' ').map(|name| title(name, json!({}))).collect();
    insta::assert_snapshot!(titles.join("\n"));
    assert!(call("Read", &json!({}), Path::new(CWD)).locations.is_empty());
}
