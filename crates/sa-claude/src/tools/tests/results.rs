//! Results of calls.

use super::{ended, failure, report, success};
use serde_json::{Value, json};

fn done(name: &str, structured: Value) -> Value {
    ended(name, &json!({}), &success("for the model"), Some(&structured))
}

fn text(update: &Value) -> &str {
    update["content"][0]["content"]["text"].as_str().unwrap()
}

fn hunk(old_start: u64, new_start: u64, lines: &[&str]) -> Value {
    let count = |mark: char| lines.iter().filter(|line| line.starts_with([' ', mark])).count();
    json!({
        "oldStart": old_start, "oldLines": count('-'), "newStart": new_start, "newLines": count('+'), "lines": lines,
    })
}

fn picture() -> Value {
    json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } })
}

#[test]
fn edits_show_the_whole_file() {
    let original = "one\ntwo\nthree\nfour\n";
    let edit = |patch: Value, old: &str, new: &str, all: bool| {
        json!({
            "filePath": "/project/a.txt", "oldString": old, "newString": new, "originalFile": original,
            "structuredPatch": patch, "userModified": false, "replaceAll": all,
        })
    };
    let patch = json!([hunk(1, 1, &[" one", "-two", "+zwei", "+zwo", " three", " four"])]);
    insta::assert_snapshot!(report([
        done("Edit", edit(patch, "two", "zwei\nzwo", false)),
        done(
            "Write",
            json!({
                "type": "create", "filePath": "/project/new.txt", "content": "hello\n", "structuredPatch": [],
                "originalFile": null, "userModified": false,
            })
        ),
        done(
            "Write",
            json!({
                "type": "update", "filePath": "/project/a.txt", "content": "hello\n", "originalFile": "bye\n",
                "structuredPatch": [hunk(1, 1, &["-bye", "+hello"])],
            })
        ),
        done(
            "NotebookEdit",
            json!({
                "notebook_path": "/project/n.ipynb", "new_source": "1", "original_file": "{}", "updated_file": "{1}",
                "edit_mode": "replace", "cell_type": "code", "language": "python",
            })
        ),
    ]));
}

/// The new text of an edit.
fn new_text(original: &str, patch: Value, old: &str, new: &str) -> Value {
    let structured = json!({
        "filePath": "/project/a.txt", "oldString": old, "newString": new, "originalFile": original,
        "structuredPatch": patch, "replaceAll": false,
    });
    done("Edit", structured)["content"][0]["newText"].clone()
}

#[test]
fn patches_are_applied_exactly() {
    let several = json!([hunk(1, 1, &["-a", "+A", " b"]), hunk(4, 4, &[" d", "-e", " f"])]);
    assert_eq!(new_text("a\nb\nc\nd\ne\nf\n", several, "", ""), "A\nb\nc\nd\nf\n");
    let no_end = json!([hunk(
        1,
        1,
        &[" a", "-b", "\\ No newline at end of file", "+c", "\\ No newline at end of file"]
    )]);
    assert_eq!(new_text("a\nb", no_end, "", ""), "a\nc");
    let unmarked = json!([hunk(1, 1, &[" a", "-b", "+c"])]);
    assert_eq!(new_text("a\nb", unmarked, "b", "c"), "a\nc");
    let windows = json!([hunk(1, 1, &[" a", "-b"])]);
    assert_eq!(new_text("a\r\nb\r\nc\r\n", windows, "", ""), "a\r\nc\r\n");
}

#[test]
fn a_patch_that_does_not_fit_gives_way_to_the_replacement() {
    // The CLI draws tabs as spaces.
    let patch = json!([hunk(1, 1, &["-    a", "+    b"])]);
    assert_eq!(new_text("\ta\n\ta\n", patch.clone(), "\ta", "\tb"), "\tb\n\ta\n");
    assert_eq!(new_text("\ta\n", patch, "gone", "x"), "    b\n");
}

#[test]
fn of_large_files_only_the_changes_are_shown() {
    let original = "line\n".repeat(100_000);
    let patch = json!([hunk(7, 7, &[" line", "-line", "+changed"]), hunk(90, 90, &["+more"])]);
    let update = done(
        "Edit",
        json!({ "filePath": "/project/a", "originalFile": original, "structuredPatch": patch, "oldString": "x" }),
    );
    assert_eq!(update["content"][0]["oldText"], "line\nline\n");
    assert_eq!(update["content"][0]["newText"], "line\nchanged\n");
    assert_eq!(update["content"][1]["newText"], "more\n");
    assert_eq!(
        update["locations"],
        json!([{ "path": "/project/a", "line": 8 }, { "path": "/project/a", "line": 90 }])
    );
    assert!(update["rawOutput"].get("originalFile").is_none());
}

#[test]
fn an_edit_of_a_sub_agent_keeps_what_the_call_showed() {
    let update = ended("Edit", &json!({}), &success("The file was updated."), None);
    assert_eq!(update["status"], "completed");
    assert!(update.get("content").is_none() && update.get("locations").is_none());
}

#[test]
fn commands() {
    let ran =
        |stdout: &str, stderr: &str| json!({ "stdout": stdout, "stderr": stderr, "interrupted": false });
    let mut background = ran("", "");
    background["backgroundTaskId"] = json!("b1");
    let mut nothing_found = ran("", "");
    nothing_found["returnCodeInterpretation"] = json!("No matches found");
    insta::assert_snapshot!(report([
        done("Bash", ran("out\n```\n", "")),
        done("Bash", ran("out\n", "err\n")),
        done("Bash", ran("", "")),
        done("Bash", background),
        done("Bash", nothing_found),
        ended("Bash", &json!({}), &success("from a sub-agent"), None),
        ended(
            "Bash",
            &json!({}),
            &success(json!([picture()])),
            Some(&json!({ "stdout": "data:", "isImage": true }))
        ),
        ended("Bash", &json!({}), &failure("Exit code 3\nboom"), Some(&json!("Error: Exit code 3\nboom"))),
        ended("Bash", &json!({}), &failure("The user doesn't want this."), None),
        ended("Bash", &json!({}), &failure(""), Some(&json!("Error: Exit code 1"))),
    ]));
}

#[test]
fn reading_and_finding() {
    let file = |kind: &str, file: Value| json!({ "type": kind, "file": file });
    insta::assert_snapshot!(report([
        done(
            "Read",
            file(
                "text",
                json!({ "filePath": "/project/a.md", "content": "```\nx\n```", "numLines": 3, "startLine": 5, "totalLines": 9 })
            ),
        ),
        done("Read", file("image", json!({ "base64": "aGk=", "type": "image/png", "originalSize": 2 })),),
        ended("Read", &json!({ "file_path": "b.txt" }), &success("     1\tx"), None),
        done("Glob", json!({ "filenames": ["/project/a.rs", "b.rs"], "numFiles": 2, "truncated": false })),
        done("Grep", json!({ "mode": "content", "filenames": [], "content": "a.rs:1:x", "numFiles": 0 })),
        done("TaskOutput", json!({ "retrieval_status": "success" })),
    ]));
}

#[test]
fn web_agents_and_questions() {
    insta::assert_snapshot!(report([
        done("WebFetch", json!({ "code": 200, "result": "x", "url": "https://example.com" })),
        done(
            "WebSearch",
            json!({ "query": "q", "results": [
                { "tool_use_id": "s", "content": [{ "title": "A", "url": "https://a.example" }] }, "And more.",
            ] }),
        ),
        done(
            "Agent",
            json!({ "status": "completed", "agentId": "a", "content": [
                { "type": "text", "text": "  <tools-used-before-summary>Bash</tools-used-before-summary>" },
                { "type": "text", "text": "Found it." },
            ] }),
        ),
        done("Task", json!({ "status": "async_launched", "agentId": "a", "outputFile": "/var/x" })),
        done("AskUserQuestion", json!({ "questions": [], "answers": { "Which?": "Blue" } })),
        done("AskUserQuestion", json!({ "questions": [], "answers": {} })),
        done("EnterPlanMode", json!({ "message": "Entered plan mode." })),
        done("ExitPlanMode", json!({ "plan": "# Plan", "filePath": "/home/user/.claude/plans/p.md" })),
        done("TodoWrite", json!({ "oldTodos": [], "newTodos": [] })),
        done("TaskUpdate", json!({ "success": true, "taskId": "1" })),
    ]));
}

#[test]
fn tools_of_others() {
    let picture =
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } });
    let blocks = json!([{ "type": "text", "text": "pong" }, picture, { "type": "resource" }]);
    let structured = json!({ "content": "{\"sum\":5}", "structuredContent": { "sum": 5 } });
    insta::assert_snapshot!(report([
        ended("mcp__host__ping", &json!({}), &success(blocks.clone()), Some(&blocks)),
        ended("mcp__demo__add", &json!({}), &success("{\"sum\":5}"), Some(&structured)),
        ended("Unknown", &json!({}), &success("well"), Some(&json!({ "a": 1 }))),
        ended("Unknown", &json!({}), &success(json!(null)), None),
    ]));
}

#[test]
fn failures_say_why() {
    let wrapped = "<tool_use_error>File has not been read yet.</tool_use_error>";
    let update =
        ended("Edit", &json!({}), &failure(wrapped), Some(&json!("Error: File has not been read yet.")));
    assert_eq!(update["status"], "failed");
    assert_eq!(text(&update), "File has not been read yet.");
    let told = "The user doesn't want to proceed with this tool use. STOP and wait for the user.";
    let update = ended("Bash", &json!({}), &failure(told), None);
    assert_eq!(text(&update), "It was rejected or interrupted.");
    // Old results lack the mark.
    let update = ended("Write", &json!({}), &success(""), Some(&json!("Error: No space left")));
    assert_eq!(update["status"], "failed");
    assert_eq!(text(&update), "Error: No space left");
}
