//! The server's tools as ACP shows them: what a call is about, and what became of it. Pure: a part of a message in, tool
//! calls out. Knows neither sessions nor turns.

mod changes;
mod outcome;

pub(crate) use changes::diffs;
pub(crate) use outcome::{Shown, outcome};

use super::native::message::Part;
use agent_client_protocol_schema::v1::ToolKind;
use sa_acp::{Described, fenced, fits_one_line, humanized, one_line, paragraph, place, shown};
use std::path::Path;

/// The kind of a tool of the server's own; tools of others are of no known kind.
fn kind(tool: &str) -> ToolKind {
    match tool {
        "bash" | "execute" => ToolKind::Execute,
        "edit" | "write" | "patch" | "apply_patch" | "multiedit" => ToolKind::Edit,
        "read" => ToolKind::Read,
        "grep" | "glob" | "list" | "codesearch" | "lsp" => ToolKind::Search,
        "webfetch" | "websearch" => ToolKind::Fetch,
        "task" => ToolKind::Think,
        "plan_exit" | "plan_enter" => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

/// Returns what a call is about.
pub(crate) fn describe(part: &Part, cwd: &Path) -> Described {
    let (tool, input) = (part.tool.as_str(), &part.state.input);
    let text = |name: &str| input[name].as_str().filter(|text| !text.is_empty());
    let file = text("filePath").or_else(|| text("path"));
    let command = text("command").unwrap_or_default();
    let of_file = |verb: &str| format!("{verb} {}", file.map(|path| shown(path, cwd)).unwrap_or_default());
    let quoted = |verb: &str, field: &str| format!("{verb} {}", text(field).unwrap_or_default());
    let title = match tool {
        "bash" => one_line(command),
        "edit" | "multiedit" => of_file("Edit"),
        "write" => of_file("Write"),
        "patch" | "apply_patch" => "Edit files".to_owned(),
        "read" => of_file("Read"),
        "list" => of_file("List"),
        "grep" => quoted("Search for", "pattern"),
        "glob" => quoted("Find", "pattern"),
        "webfetch" => quoted("Fetch", "url"),
        "websearch" | "codesearch" => quoted("Search for", "query"),
        "task" => text("description").unwrap_or("Task").to_owned(),
        "skill" => quoted("Use the skill", "name"),
        "todowrite" => "Update the list of things to do".to_owned(),
        "plan_exit" => "Ready to implement?".to_owned(),
        "question" => "Ask the user".to_owned(),
        other => humanized(other),
    };
    let line = input["offset"].as_u64();
    let content = match tool {
        "bash" if !fits_one_line(command) => vec![paragraph(fenced("sh", command))],
        "task" => text("prompt").map(paragraph).into_iter().collect(),
        _ => Vec::new(),
    };
    Described {
        name: tool.to_owned(),
        kind: kind(tool),
        title: one_line(&title),
        locations: file.map(|path| place(path, line, cwd)).into_iter().collect(),
        content,
        input: input.clone(),
    }
}
