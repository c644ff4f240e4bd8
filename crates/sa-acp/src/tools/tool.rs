//! Tool calls as clients are told of them: what one is about, and what became of it.

use agent_client_protocol_schema::v1::{
    Meta, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use serde_json::Value;

/// A description of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The tool, by the CLI's own name.
    pub name: String,
    /// The input of the tool.
    pub input: Value,
    /// Of which kind it is.
    pub kind: ToolKind,
    /// It in one line.
    pub title: String,
    /// The files that it is about.
    pub locations: Vec<ToolCallLocation>,
    /// The content to show before the call runs.
    pub content: Vec<ToolCallContent>,
}

impl Described {
    /// A call with nothing to show but its title.
    pub fn new(name: impl Into<String>, kind: ToolKind, title: impl Into<String>, input: Value) -> Self {
        let (name, title) = (name.into(), title.into());
        Self { name, input, kind, title, locations: Vec::new(), content: Vec::new() }
    }

    /// The first that a client hears of the call.
    pub fn into_call(self, id: impl Into<ToolCallId>) -> ToolCall {
        ToolCall::new(id, self.title)
            .name(self.name)
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(self.input)
    }

    /// The same for a client that is asked about it, or that heard of it before all was known.
    pub fn into_fields(self) -> ToolCallUpdateFields {
        ToolCallUpdateFields::new()
            .title(self.title)
            .name(self.name)
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(self.input)
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The status.
    pub status: ToolCallStatus,
    /// Empty when what was said before the call ran is still the best there is to show.
    pub content: Vec<ToolCallContent>,
    /// Empty when the result names no places of its own.
    pub locations: Vec<ToolCallLocation>,
    /// The CLI's own result; `null` if there is none.
    pub output: Value,
    /// Metadata for `_meta`.
    pub meta: Option<Meta>,
}

impl Outcome {
    /// One that names no places and has nothing to be told beside the protocol.
    pub fn new(status: ToolCallStatus, content: Vec<ToolCallContent>, output: Value) -> Self {
        Self { status, content, locations: Vec::new(), output, meta: None }
    }

    /// The last that a client hears of the call.
    pub fn into_update(self, id: impl Into<ToolCallId>) -> ToolCallUpdate {
        let fields = ToolCallUpdateFields::new()
            .status(self.status)
            .content(Some(self.content).filter(|content| !content.is_empty()))
            .locations(Some(self.locations).filter(|locations| !locations.is_empty()))
            .raw_output(Some(self.output).filter(|output| !output.is_null()));
        ToolCallUpdate::new(id, fields).meta(self.meta)
    }
}
