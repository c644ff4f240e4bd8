//! Descriptions of tool calls, from their names and inputs.

use super::{edits, mcp_parts};
use agent_client_protocol_schema::v1::{ToolCallContent, ToolCallLocation, ToolKind};
use sa_acp::{
    Described, ToolInput, absolute, fenced, fits_one_line, humanized, one_line, paragraph, place, shown,
};
use serde_json::Value;
use std::path::Path;

/// Describes a call. Input that is missing or of another shape than expected only makes the description poorer: models send
/// what they like, and while a call is streamed its input is empty.
pub(crate) fn call(name: &str, input: &Value, cwd: &Path) -> Described {
    let call = ToolInput { tool: name, value: input, cwd };
    match name {
        "Read" | "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "NotebookRead" | "LS" => file(call),
        "Bash" | "PowerShell" | "Monitor" | "BashOutput" | "TaskOutput" | "KillShell" | "KillBash"
        | "TaskStop" => command(call),
        "Glob" | "Grep" | "ToolSearch" | "LSP" => search(call),
        "WebFetch" | "WebSearch" => web(call),
        "Agent" | "Task" => agent(call),
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => list(call),
        "AskUserQuestion" => question(call),
        "EnterPlanMode" | "ExitPlanMode" => mode(call),
        _ => other(call),
    }
}

/// Text of the input as content.
fn paragraphs(call: ToolInput<'_>, key: &str) -> Vec<ToolCallContent> {
    call.text(&[key]).map(paragraph).into_iter().collect()
}

fn file(call: ToolInput<'_>) -> Described {
    let keys = ["file_path", "notebook_path", "path"];
    let path = call.text(&keys);
    let (kind, verb) = match call.tool {
        "Read" | "NotebookRead" => (ToolKind::Read, "Read"),
        "LS" => (ToolKind::Search, "List"),
        "Write" => (ToolKind::Edit, "Write"),
        _ => (ToolKind::Edit, "Edit"),
    };
    let Some(path) = path else { return call.described(kind, format!("{verb} file")) };
    let content = match call.tool {
        "Write" => call.value["content"]
            .as_str()
            .map(|content| edits::written(path, content, call.cwd))
            .into_iter()
            .collect(),
        "Edit" => edits::asked(path, std::iter::once(call.value), call.cwd),
        "MultiEdit" => edits::asked(path, call.value["edits"].as_array().into_iter().flatten(), call.cwd),
        "NotebookEdit" => {
            let language = if call.value["cell_type"] == "markdown" { "markdown" } else { "" };
            call.text(&["new_source"]).map(|source| paragraph(fenced(language, source))).into_iter().collect()
        }
        _ => Vec::new(),
    };
    let title = format!("{verb} {}{}", shown(path, call.cwd), range(call));
    let locations = vec![place(path, call.value["offset"].as_u64(), call.cwd)];
    Described { locations, content, ..call.described(kind, title) }
}

/// Returns which lines of a file are read, if not all.
fn range(call: ToolInput<'_>) -> String {
    let offset = call.value["offset"].as_u64().filter(|_| call.tool == "Read");
    let limit = call.value["limit"].as_u64().filter(|limit| call.tool == "Read" && *limit > 0);
    let first = offset.unwrap_or(1).max(1);
    match (offset, limit) {
        (None, None) => String::new(),
        (_, Some(limit)) => format!(" ({first}–{})", first.saturating_add(limit - 1)),
        (_, None) => format!(" (from line {first})"),
    }
}

fn command(call: ToolInput<'_>) -> Described {
    let id = call.text(&["task_id", "shell_id", "bash_id"]).map(one_line);
    let id = id.map(|id| format!(" {id}")).unwrap_or_default();
    match call.tool {
        "BashOutput" | "TaskOutput" => {
            call.described(ToolKind::Execute, format!("Look at the output of task{id}"))
        }
        "KillShell" | "KillBash" | "TaskStop" => call.described(ToolKind::Execute, format!("Stop task{id}")),
        _ => {
            let command = call.text(&["command"]);
            let title = call.text(&["command", "description"]).map(one_line);
            let mut content = paragraphs(call, "description");
            // People consent to what they read here, so a command that the title cuts is shown in full.
            content.extend(
                command
                    .filter(|command| !fits_one_line(command))
                    .map(|command| paragraph(fenced("sh", command))),
            );
            Described {
                content,
                ..call.described(ToolKind::Execute, title.unwrap_or_else(|| "Run a command".to_owned()))
            }
        }
    }
}

fn search(call: ToolInput<'_>) -> Described {
    let pattern = call.text(&["pattern", "query", "operation"]);
    let path = call.text(&["path", "filePath"]);
    let mut title = match (call.tool, pattern) {
        ("Glob", Some(pattern)) => format!("Find `{}`", one_line(pattern)),
        ("Glob", None) => "Find files".to_owned(),
        ("ToolSearch", Some(query)) => format!("Search tools for `{}`", one_line(query)),
        ("LSP", Some(operation)) => humanized(operation),
        (_, Some(pattern)) => format!("Search for `{}`", one_line(pattern)),
        (_, None) => "Search".to_owned(),
    };
    if let Some(path) = path.filter(|path| absolute(path, call.cwd) != call.cwd) {
        title = format!("{title} in {}", shown(path, call.cwd));
    }
    if let Some(only) = call.text(&["glob", "type"]) {
        title = format!("{title} ({})", one_line(only));
    }
    let locations = path.map(|path| place(path, call.value["line"].as_u64(), call.cwd));
    Described { locations: locations.into_iter().collect(), ..call.described(ToolKind::Search, title) }
}

fn web(call: ToolInput<'_>) -> Described {
    let title = match (call.text(&["url"]), call.text(&["query"])) {
        (Some(url), _) => format!("Fetch {}", one_line(url)),
        (None, Some(query)) => format!("Search the web for “{}”", one_line(query)),
        (None, None) => humanized(call.tool),
    };
    Described { content: paragraphs(call, "prompt"), ..call.described(ToolKind::Fetch, title) }
}

fn agent(call: ToolInput<'_>) -> Described {
    let keys = ["description", "subagent_type", "prompt"];
    let title = call.text(&keys).map(one_line);
    Described {
        content: paragraphs(call, "prompt"),
        ..call.described(ToolKind::Think, title.unwrap_or_else(|| "Delegate work".to_owned()))
    }
}

fn list(call: ToolInput<'_>) -> Described {
    let subject = call.text(&["subject"]).map(one_line);
    let id = match &call.value["taskId"] {
        Value::String(id) => format!(" {}", one_line(id)),
        Value::Number(id) => format!(" {id}"),
        _ => String::new(),
    };
    let title = match (call.tool, subject, call.text(&["status"])) {
        ("TodoWrite", ..) => "Update the to-do list".to_owned(),
        ("TaskList", ..) => "Look at the task list".to_owned(),
        ("TaskGet", ..) => format!("Look at task{id}"),
        ("TaskCreate", Some(subject), _) => format!("Add task: {subject}"),
        ("TaskCreate", None, _) => "Add a task".to_owned(),
        (_, Some(subject), _) => format!("Update task{id}: {subject}"),
        (_, None, Some(status)) => format!("Mark task{id} as {}", one_line(&status.replace('_', " "))),
        (_, None, None) => format!("Update task{id}"),
    };
    Described { content: paragraphs(call, "description"), ..call.described(ToolKind::Think, title) }
}

fn question(call: ToolInput<'_>) -> Described {
    let questions = call.value["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let asked: Vec<_> =
        questions.iter().filter_map(|question| Some((question["question"].as_str()?, question))).collect();
    let title = match asked.as_slice() {
        [] => "Ask a question".to_owned(),
        [(question, _)] => one_line(question),
        several => format!("Ask {} questions", several.len()),
    };
    let content = asked.iter().map(|(words, question)| paragraph(choices(words, &question["options"])));
    Described { content: content.collect(), ..call.described(ToolKind::Other, title) }
}

fn mode(call: ToolInput<'_>) -> Described {
    if call.tool == "EnterPlanMode" {
        return call.described(ToolKind::SwitchMode, "Enter plan mode");
    }
    let path = call.text(&["planFilePath"]);
    let locations: Vec<ToolCallLocation> = path.map(|path| place(path, None, call.cwd)).into_iter().collect();
    let content = paragraphs(call, "plan");
    Described { locations, content, ..call.described(ToolKind::SwitchMode, "Leave plan mode") }
}

fn other(call: ToolInput<'_>) -> Described {
    if let Some((server, tool)) = mcp_parts(call.tool) {
        return call.described(ToolKind::Other, format!("{} ({})", one_line(tool), one_line(server)));
    }
    let keys = ["description", "title", "subject", "message", "query", "name"];
    let (kind, verb, what) = match call.tool {
        "Skill" => (ToolKind::Other, "Use skill".to_owned(), call.text(&["skill", "command"])),
        "SlashCommand" => (ToolKind::Other, "Run".to_owned(), call.text(&["command"])),
        "ListMcpResources" => (ToolKind::Read, "List MCP resources of".to_owned(), call.text(&["server"])),
        "ReadMcpResource" | "ReadMcpResourceDir" => (ToolKind::Read, "Read".to_owned(), call.text(&["uri"])),
        name => (ToolKind::Other, format!("{}:", humanized(name)), call.text(&keys)),
    };
    let title = what.map(|what| one_line(&format!("{verb} {what}")));
    call.described(kind, title.unwrap_or_else(|| humanized(call.tool)))
}

/// A question with its options as a list.
fn choices(question: &str, options: &Value) -> String {
    let mut text = question.to_owned();
    for option in options.as_array().into_iter().flatten() {
        let Some(label) = option["label"].as_str() else { continue };
        text.push_str("\n- ");
        text.push_str(label);
        if let Some(description) = option["description"].as_str().filter(|words| !words.is_empty()) {
            text.push_str(": ");
            text.push_str(description);
        }
    }
    text
}
