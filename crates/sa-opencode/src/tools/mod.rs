//! The server's tools as ACP shows them: what a call is about, and what became of it. Pure: a part of a message in, tool
//! calls out. Knows neither sessions nor turns.

mod changes;
mod outcome;

pub(crate) use changes::diffs;
pub(crate) use outcome::outcome;

use super::core::Disk;
use super::native::message::Part;
use agent_client_protocol_schema::v1::{
    Meta, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use sa_acp::{fenced, fits_one_line, humanised, one_line, paragraph, place, shown};
use serde_json::Value;
use std::path::Path;

/// A disk that nothing is known of.
#[derive(Debug)]
pub(crate) struct NoDisk;

impl Disk for NoDisk {
    fn is_directory(&self, _: &Path) -> bool {
        false
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }
}

/// What a tool call is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) kind: ToolKind,
    pub(crate) title: String,
    pub(crate) locations: Vec<ToolCallLocation>,
    pub(crate) content: Vec<ToolCallContent>,
    pub(crate) input: Value,
}

impl Described {
    /// The first that a client hears of the call.
    pub(crate) fn into_call(self, id: impl Into<ToolCallId>) -> ToolCall {
        ToolCall::new(id, self.title)
            .name(self.name)
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(self.input)
    }

    /// The same for somebody who is asked about it.
    pub(crate) fn into_fields(self) -> ToolCallUpdateFields {
        ToolCallUpdateFields::new()
            .title(self.title)
            .name(self.name)
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(self.input)
    }
}

/// What became of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) status: ToolCallStatus,
    /// Empty when what was said before the call ran is still the best there is to show.
    pub(crate) content: Vec<ToolCallContent>,
    pub(crate) output: Value,
    pub(crate) meta: Option<Meta>,
}

impl Outcome {
    /// The last that a client hears of the call.
    pub(crate) fn into_update(self, id: impl Into<ToolCallId>) -> ToolCallUpdate {
        let fields = ToolCallUpdateFields::new()
            .status(self.status)
            .content(Some(self.content).filter(|content| !content.is_empty()))
            .raw_output(Some(self.output).filter(|output| !output.is_null()));
        ToolCallUpdate::new(id, fields).meta(self.meta)
    }
}

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

/// What a call is about.
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
        other => humanised(other),
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
