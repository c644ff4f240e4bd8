//! Messages and their parts: what was said, thought, called and returned.

use sa_api_macros::api;
use serde_json::{Map, Value};

/// A message. A later message with the same id replaces the earlier one.
#[api]
#[serde(untagged)]
pub enum UniversalMessage {
    /// A message that was parsed.
    Parsed(ParsedMessage),
    /// A message that could not be parsed. It is kept as it is.
    Unparsed(UnparsedMessage),
}

/// A message.
#[api]
pub struct ParsedMessage {
    /// Id of the message, unique in its session.
    pub id: String,
    /// Author of the message.
    pub role: Role,
    /// Parts of the message.
    pub parts: Vec<MessagePart>,
    /// More about the message: `turnId`, `delivery` (`interrupt` if a user's message was sent ahead of those that waited),
    /// `parentId` (the tool call of the sub-agent that it belongs to), `continues` (the message that this one continues, which had
    /// become too long), `_meta` (additions of the agent), `unrecognized` (members that were not understood).
    #[optional]
    pub metadata: Map<String, Value>,
}

/// A message that could not be parsed. `role` distinguishes it from other messages.
#[api]
pub struct UnparsedMessage {
    /// Always `unknown`.
    #[newer]
    pub role: UnknownRole,
    /// Output of the agent.
    pub raw: Value,
    /// Reason why the message could not be parsed.
    pub error: String,
}

/// Role of a message that could not be parsed.
#[api(Default)]
pub enum UnknownRole {
    /// Not known.
    #[default]
    Unknown,
}

/// Author of a message.
#[api]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Assistant,
}

/// A part of a message.
#[api]
#[serde(tag = "type")]
pub enum MessagePart {
    /// Text, in Markdown.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning of the agent.
    Reasoning {
        /// The text.
        text: String,
    },
    /// A call of a tool by the agent.
    ToolCall {
        /// Id of the call, unique in its session.
        id: String,
        /// Name of the tool, if the agent reports it.
        name: Option<String>,
        /// Display title of the call.
        title: String,
        /// Kind of the tool.
        kind: ToolKind,
        /// Status of the call.
        status: ToolStatus,
        /// Input of the tool.
        input: Option<Value>,
        /// Files that the call works on.
        #[optional]
        locations: Vec<Location>,
    },
    /// Result of a tool, complete or so far.
    ToolResult {
        /// Id of the call.
        id: String,
        /// True if the call failed.
        is_error: bool,
        /// Content to display.
        content: Vec<ToolContent>,
        /// Output of the tool, as the tool wrote it.
        output: Option<Value>,
    },
    /// A function for the client to call.
    FunctionCall {
        /// Id of the call, unique in its session.
        id: String,
        /// Name of the function.
        name: String,
        /// Arguments of the function.
        arguments: Value,
    },
    /// Result of a function that the client called.
    FunctionResult {
        /// Id of the call.
        id: String,
        /// Name of the function, if it is known.
        name: Option<String>,
        /// Result of the function.
        result: Value,
        /// True if the call failed.
        is_error: bool,
    },
    /// A file, or a change to a file.
    File {
        /// Name of the file, if `path` does not contain it.
        name: Option<String>,
        /// Path or address of the file.
        path: Option<String>,
        /// Content of the file. Absent for a change.
        source: Option<FileSource>,
        /// Media type of the content.
        mime_type: Option<String>,
        /// Change to the file.
        diff: Option<Diff>,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// An image.
    Image {
        /// Content of the image.
        source: FileSource,
        /// Media type of the image.
        mime_type: String,
        /// Description of the image.
        alt: Option<String>,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// A failure.
    Error {
        /// Description of the failure.
        message: String,
    },
    /// Output of the agent that has no other form.
    Unknown {
        /// Output of the agent.
        raw: Value,
    },
}

/// Content of a file or image.
#[api]
#[serde(tag = "type")]
pub enum FileSource {
    /// Content as text.
    Text {
        /// The content.
        text: String,
    },
    /// Content in base64.
    Base64 {
        /// The content.
        data: String,
    },
    /// Content at an address.
    Uri {
        /// Address of the content; `file://` for a file of the sandbox.
        uri: String,
    },
}

/// A change to a file.
#[api(Eq)]
pub struct Diff {
    /// Content before the change. Absent for a new file.
    pub old_text: Option<String>,
    /// Content after the change.
    pub new_text: String,
}

/// A position in a file.
#[api(Eq)]
pub struct Location {
    /// Path of the file.
    pub path: String,
    /// Line number, starting at 1.
    pub line: Option<u32>,
}

/// Content that a tool call displays.
#[api]
#[serde(tag = "type")]
pub enum ToolContent {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// An image.
    Image {
        /// Content of the image.
        source: FileSource,
        /// Media type of the image.
        mime_type: String,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// A file, or a link to a file.
    File {
        /// Name of the file, if `path` does not contain it.
        name: Option<String>,
        /// Path or address of the file.
        path: String,
        /// Content of the file.
        source: Option<FileSource>,
        /// Media type of the content.
        mime_type: Option<String>,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// A change to a file.
    Diff {
        /// Path of the file.
        path: String,
        /// Content before the change. Absent for a new file.
        old_text: Option<String>,
        /// Content after the change.
        new_text: String,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// A terminal of the agent.
    Terminal {
        /// Id of the terminal.
        id: String,
        /// Other members that the agent sent.
        #[optional]
        extra: Map<String, Value>,
    },
    /// Output of the agent that has no other form.
    Unknown {
        /// Output of the agent.
        raw: Value,
    },
}

/// Kind of a tool.
#[api(Default)]
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
    /// Fetches data from elsewhere.
    Fetch,
    /// Changes the mode.
    SwitchMode,
    /// Any other tool.
    #[default]
    #[serde(other)]
    Other,
}

/// Status of a tool call.
#[api(Default)]
pub enum ToolStatus {
    /// Not started. The input is still being written, or the call waits for a permission.
    #[default]
    Pending,
    /// Running.
    InProgress,
    /// Completed.
    Completed,
    /// Failed or rejected.
    Failed,
}

/// A piece of a message that is being written. The complete message follows as a `message` event with the same id.
#[api(Eq)]
pub struct MessageDelta {
    /// Id of the message.
    pub message_id: String,
    /// Part of the message that the piece continues.
    pub kind: DeltaKind,
    /// Text to append.
    pub text: String,
    /// Id of the tool call of the sub-agent that the message belongs to.
    pub parent_id: Option<String>,
}

/// Part of a message that a piece continues.
#[api]
pub enum DeltaKind {
    /// Text.
    Text,
    /// Reasoning.
    Reasoning,
    /// Output of a running tool. The `toolResult` of the complete message has all of it.
    Output,
}
