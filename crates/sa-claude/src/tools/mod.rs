//! Claude Code's tools as ACP shows them: what a call is about, and what became of it. Pure: a tool's name, its input and its
//! result in, tool calls out. Knows neither sessions nor turns.

mod blocks;
mod call;
mod edits;
mod outcome;
mod permission;
mod plan;
mod shell;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use blocks::content_block;
pub(crate) use call::call;
pub(crate) use outcome::result;
pub(crate) use permission::rules_for_always;
pub(crate) use plan::Todos;

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

    /// The same for a call that was announced before its input was whole.
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
    /// Empty when the result names no places of its own.
    pub(crate) locations: Vec<ToolCallLocation>,
    pub(crate) raw_output: Option<Value>,
    pub(crate) meta: Option<Meta>,
}

impl Outcome {
    /// The last that a client hears of the call.
    pub(crate) fn into_update(self, id: impl Into<ToolCallId>) -> ToolCallUpdate {
        let fields = ToolCallUpdateFields::new()
            .status(self.status)
            .content(Some(self.content).filter(|content| !content.is_empty()))
            .locations(Some(self.locations).filter(|locations| !locations.is_empty()))
            .raw_output(self.raw_output);
        ToolCallUpdate::new(id, fields).meta(self.meta)
    }
}

/// The server and the tool that a name like `mcp__server__tool` stands for.
fn mcp_parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}
