//! Messages and their parts: what was said, thought, called and returned.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A message. A later one of the same id replaces the earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum UniversalMessage {
    /// One that was understood.
    Parsed(ParsedMessage),
    /// One that was not; nothing of it is lost.
    Unparsed(UnparsedMessage),
}

/// A message that was understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ParsedMessage {
    /// Names it within its session.
    pub id: String,
    /// Whose it is.
    pub role: Role,
    /// What it consists of.
    pub parts: Vec<MessagePart>,
    /// More about the message: `turnId`, `delivery` (`interrupt` if a user's message was sent ahead of those that waited),
    /// `parentId` (the tool call of the sub-agent that it belongs to), `continues` (the message that this one continues, which had
    /// become too long), `_meta` (additions of the agent), `unrecognized` (members that were not understood).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object, required = false)]
    pub metadata: Map<String, Value>,
}

/// A message that could not be parsed. `role` distinguishes it from other messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnparsedMessage {
    /// Always `unknown`.
    #[serde(default)]
    #[schema(required = true)]
    pub role: UnknownRole,
    /// What the agent sent.
    pub raw: Value,
    /// Why it was not understood.
    pub error: String,
}

/// Role of a message that could not be parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum UnknownRole {
    /// Not known.
    #[default]
    Unknown,
}

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The client's.
    User,
    /// The agent's.
    Assistant,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
// The contract's macro does not read `rename_all_fields`: variants with members of several words say it again.
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MessagePart {
    /// Text, in Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// What the agent thinks.
    Reasoning {
        /// The thought.
        text: String,
    },
    /// A tool that the agent uses.
    ToolCall {
        /// Names the call within its session.
        id: String,
        /// The tool's own name, if the agent tells it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        name: Option<String>,
        /// What it does, for people.
        title: String,
        /// What sort of thing it does.
        kind: ToolKind,
        /// How far it is.
        status: ToolStatus,
        /// What the tool was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        input: Option<Value>,
        /// The files it is about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(required = false)]
        locations: Vec<Location>,
    },
    /// What a tool returned, or has returned so far.
    #[schema(rename_all = "camelCase")]
    ToolResult {
        /// The call's id.
        id: String,
        /// Whether it failed.
        is_error: bool,
        /// What it shows.
        content: Vec<ToolContent>,
        /// What it returned, as the tool wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        output: Option<Value>,
    },
    /// A function that the client has to call.
    FunctionCall {
        /// Names the call within its session.
        id: String,
        /// The function.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// What the client's function returned.
    #[schema(rename_all = "camelCase")]
    FunctionResult {
        /// The call's id.
        id: String,
        /// The function, if it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        name: Option<String>,
        /// What it returned.
        result: Value,
        /// Whether it failed.
        is_error: bool,
    },
    /// A file, or how one changed.
    #[schema(rename_all = "camelCase")]
    File {
        /// What it is called, if that is not in its path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        name: Option<String>,
        /// Its path or address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        path: Option<String>,
        /// Where its content is; absent for changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        source: Option<FileSource>,
        /// What kind of content it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        mime_type: Option<String>,
        /// How it changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        diff: Option<Diff>,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// An image.
    #[schema(rename_all = "camelCase")]
    Image {
        /// Where it is.
        source: FileSource,
        /// What kind of image.
        mime_type: String,
        /// What it shows, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        alt: Option<String>,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// Something that went wrong.
    Error {
        /// What.
        message: String,
    },
    /// Something that has no other form.
    Unknown {
        /// What the agent sent.
        raw: Value,
    },
}

/// Where the content of a file or image is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FileSource {
    /// Here, as text.
    Text {
        /// The content.
        text: String,
    },
    /// Here, in base64.
    Base64 {
        /// The content.
        data: String,
    },
    /// At an address; `file://` for files of the sandbox.
    Uri {
        /// The address.
        uri: String,
    },
}

/// How a file changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// What was there before; absent for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub old_text: Option<String>,
    /// What is there afterwards.
    pub new_text: String,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The file.
    pub path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub line: Option<u32>,
}

/// What a tool call shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolContent {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// An image.
    #[schema(rename_all = "camelCase")]
    Image {
        /// Where it is.
        source: FileSource,
        /// What kind of image.
        mime_type: String,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// A file, or a link to one.
    #[schema(rename_all = "camelCase")]
    File {
        /// What it is called, if that is not in its path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        name: Option<String>,
        /// Its path or address.
        path: String,
        /// Where its content is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        source: Option<FileSource>,
        /// What kind of content it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        mime_type: Option<String>,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// How a file changes or changed.
    #[schema(rename_all = "camelCase")]
    Diff {
        /// The file.
        path: String,
        /// What was there before; absent for a new file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        old_text: Option<String>,
        /// What is there afterwards.
        new_text: String,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// A terminal of the agent's.
    Terminal {
        /// Its id.
        id: String,
        /// What else the agent told about it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object, required = false)]
        extra: Map<String, Value>,
    },
    /// Something that has no other form.
    Unknown {
        /// What the agent sent.
        raw: Value,
    },
}

/// What sort of thing a tool does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    /// Reads files or data.
    Read,
    /// Changes files.
    Edit,
    /// Deletes files or data.
    Delete,
    /// Moves or renames files.
    Move,
    /// Searches.
    Search,
    /// Runs commands or code.
    Execute,
    /// Thinks or plans.
    Think,
    /// Fetches something from elsewhere.
    Fetch,
    /// Changes the mode.
    SwitchMode,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

/// How far a tool call is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ToolStatus {
    /// It has not begun: its input is still coming, or it waits for a permission.
    #[default]
    Pending,
    /// It runs.
    InProgress,
    /// It is done.
    Completed,
    /// It failed, or was refused.
    Failed,
}

/// A piece of a message that is still being written. The whole message follows as a `message` of the same id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageDelta {
    /// The message's id.
    pub message_id: String,
    /// Which of its parts goes on.
    pub kind: DeltaKind,
    /// What is added.
    pub text: String,
    /// The tool call of the sub-agent that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub parent_id: Option<String>,
}

/// Which part of a message goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DeltaKind {
    /// Its text.
    Text,
    /// Its reasoning.
    Reasoning,
    /// The output of its tool call, which still runs. The `toolResult` of the whole message has all of it.
    Output,
}
