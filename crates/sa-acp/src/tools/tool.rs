//! Tool calls as clients see them: a description, and a result.

use crate::text::wording::{fenced, fits_one_line, one_line, paragraph, place, shown};
use agent_client_protocol_schema::v1::{
    Meta, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use serde_json::Value;
use std::path::Path;

/// A description of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    pub name: String,
    pub input: Value,
    /// Of which kind it is.
    pub kind: ToolKind,
    pub title: String,
    /// The files that it is about.
    pub locations: Vec<ToolCallLocation>,
    /// The content to show before the call runs.
    pub content: Vec<ToolCallContent>,
}

impl Described {
    /// Returns a call with nothing to show but its title.
    pub fn new(name: impl Into<String>, kind: ToolKind, title: impl Into<String>, input: Value) -> Self {
        let (name, title) = (name.into(), title.into());
        Self { name, input, kind, title, locations: Vec::new(), content: Vec::new() }
    }

    /// Returns the first report of the call.
    pub fn into_call(self, id: impl Into<ToolCallId>) -> ToolCall {
        ToolCall::new(id, self.title)
            .name(self.name)
            .kind(self.kind)
            .locations(self.locations)
            .content(self.content)
            .raw_input(self.input)
    }

    /// Returns the call as an update: for a request for permission, or for a client that knows of it already.
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
    /// Returns a result without places and metadata.
    pub fn new(status: ToolCallStatus, content: Vec<ToolCallContent>, output: Value) -> Self {
        Self { status, content, locations: Vec::new(), output, meta: None }
    }

    /// Returns the last update about the call.
    pub fn into_update(self, id: impl Into<ToolCallId>) -> ToolCallUpdate {
        let fields = ToolCallUpdateFields::new()
            .status(self.status)
            .content(Some(self.content).filter(|content| !content.is_empty()))
            .locations(Some(self.locations).filter(|locations| !locations.is_empty()))
            .raw_output(Some(self.output).filter(|output| !output.is_null()));
        ToolCallUpdate::new(id, fields).meta(self.meta)
    }
}

/// The input of a tool call, for its description. Input that is missing or of another shape than expected only makes the
/// description poorer.
#[derive(Debug, Clone, Copy)]
pub struct ToolInput<'a> {
    pub tool: &'a str,
    pub value: &'a Value,
    /// The session's working directory.
    pub cwd: &'a Path,
}

impl<'a> ToolInput<'a> {
    /// Returns a call with nothing to show but its title.
    pub fn described(&self, kind: ToolKind, title: impl Into<String>) -> Described {
        Described::new(self.tool, kind, title, self.value.clone())
    }

    /// Returns the first of these members that says something.
    pub fn text(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.value[*key].as_str().filter(|text| !text.trim().is_empty()))
    }

    /// Describes a call that runs a command. A command that does not fit the title is shown in full: people consent to it.
    pub fn command(&self, command: Option<&str>) -> Described {
        let Some(command) = command.filter(|command| !command.trim().is_empty()) else {
            return self.described(ToolKind::Execute, "Run a command");
        };
        let whole = (!fits_one_line(command)).then(|| paragraph(fenced("sh", command)));
        let title = format!("`{}`", one_line(command));
        Described { content: whole.into_iter().collect(), ..self.described(ToolKind::Execute, title) }
    }

    /// Describes a call that works on the file in the first of these members that names one.
    pub fn file(&self, kind: ToolKind, verb: &str, keys: &[&str], line: Option<u64>) -> Described {
        let Some(path) = self.text(keys) else { return self.described(kind, format!("{verb} file")) };
        let title = format!("{verb} {}", shown(path, self.cwd));
        Described { locations: vec![place(path, line, self.cwd)], ..self.described(kind, title) }
    }
}
