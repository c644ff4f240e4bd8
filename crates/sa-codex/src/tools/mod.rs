//! Codex's items as ACP shows tools: what a call is about, and what became of it. Pure: an item in, tool calls out. Knows
//! neither sessions nor turns.

mod command;
mod other;
mod patch;

pub(crate) use command::script;

use super::core::Disk;
use super::native::item::Body;
use agent_client_protocol_schema::v1::{
    Meta, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
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

/// What a call is about.
pub(crate) fn describe(body: &Body, cwd: &Path, disk: &dyn Disk) -> Described {
    match body {
        Body::Command(command) => command::describe(command),
        Body::FileChange(change) => patch::describe(change, cwd, disk),
        other => other::describe(other, cwd),
    }
}

/// What became of it.
pub(crate) fn outcome(id: &str, body: &Body) -> Outcome {
    match body {
        Body::Command(command) => command::outcome(id, command),
        Body::FileChange(change) => patch::outcome(change),
        other => other::outcome(other),
    }
}

/// A status of the CLI's.
fn status(word: Option<&str>) -> ToolCallStatus {
    match word {
        Some("failed" | "declined" | "errored" | "interrupted" | "notFound") => ToolCallStatus::Failed,
        Some("inProgress") => ToolCallStatus::InProgress,
        _ => ToolCallStatus::Completed,
    }
}
