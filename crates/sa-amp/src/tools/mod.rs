//! Amp's tools as ACP shows them: what a call is about, and what became of it. Pure: a tool's name, its input and its result
//! in, tool calls out. Knows neither sessions nor turns.

mod call;
mod outcome;
mod reach;

pub(crate) use call::{call, changed_file};
pub(crate) use outcome::outcome;
pub(crate) use reach::{changes_something, command_line, is_agent, is_edit};

use agent_client_protocol_schema::v1::{
    Meta, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use serde_json::Value;

/// What a tool call is about, told before it runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Described {
    pub(crate) kind: ToolKind,
    pub(crate) title: String,
    pub(crate) locations: Vec<ToolCallLocation>,
    pub(crate) content: Vec<ToolCallContent>,
}

impl Described {
    /// The first that a client hears of the call.
    pub(crate) fn into_call(self, id: impl Into<ToolCallId>, name: &str, input: Value) -> ToolCall {
        ToolCall::new(id, self.title)
            .name(name.to_owned())
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(input)
    }

    /// The same for a call that the client knows.
    pub(crate) fn into_fields(self, name: &str, input: Value) -> ToolCallUpdateFields {
        ToolCallUpdateFields::new()
            .title(self.title)
            .name(name.to_owned())
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(input)
    }
}

/// What became of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) status: ToolCallStatus,
    /// Empty when what was said before the call ran is still the best there is to show.
    pub(crate) content: Vec<ToolCallContent>,
    pub(crate) raw_output: Value,
    pub(crate) meta: Option<Meta>,
}

impl Outcome {
    /// The last that a client hears of the call.
    pub(crate) fn into_update(self, id: impl Into<ToolCallId>) -> ToolCallUpdate {
        let fields = ToolCallUpdateFields::new()
            .status(self.status)
            .content(Some(self.content).filter(|content| !content.is_empty()))
            .raw_output(self.raw_output);
        ToolCallUpdate::new(id, fields).meta(self.meta)
    }
}
