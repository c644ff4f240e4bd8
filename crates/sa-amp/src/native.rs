//! What the CLI writes in its stream, as far as it is read here (`schemas/amp/stream.schema.json`), and what is written
//! to it. Fields that are not known are passed over.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of the CLI.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line {
    System(System),
    User(Said<UserMessage>),
    Assistant(Said<AssistantMessage>),
    Result(Outcome),
}

/// The first line of a process.
#[derive(Debug, Deserialize)]
pub(crate) struct System {
    pub(crate) mcp_servers: Option<Vec<McpStatus>>,
}

/// How far an MCP server is.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct McpStatus {
    pub(crate) name: String,
    pub(crate) status: String,
}

/// A message, and the call of which it is a part if it is a sub-agent's.
#[derive(Debug, Deserialize)]
pub(crate) struct Said<M> {
    pub(crate) message: M,
    pub(crate) parent_tool_use_id: Option<String>,
}

/// What a user, or a tool, said. Blocks are read one by one, so that one that is not known spoils nothing.
#[derive(Debug, Deserialize)]
pub(crate) struct UserMessage {
    pub(crate) content: Option<Vec<Value>>,
}

/// What the model said, whole.
#[derive(Debug, Deserialize)]
pub(crate) struct AssistantMessage {
    pub(crate) content: Option<Vec<Value>>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) usage: Option<Tokens>,
}

/// Tokens of one message.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) cache_creation_input_tokens: Option<u64>,
    pub(crate) cache_read_input_tokens: Option<u64>,
    /// What fits the model.
    pub(crate) max_tokens: Option<u64>,
}

/// A part of a message.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text { text: String },
    Thinking { thinking: String },
    ToolUse { id: String, name: String, input: Value },
    ToolResult { tool_use_id: String, content: Value, is_error: Option<bool> },
}

/// The last line of a process.
#[derive(Debug, Deserialize)]
pub(crate) struct Outcome {
    #[serde(default)]
    pub(crate) is_error: bool,
    pub(crate) error: Option<String>,
}

/// A prompt.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Input<'a> {
    User { message: InputMessage<'a> },
}

/// The message of a prompt.
#[derive(Debug, Serialize)]
pub(crate) struct InputMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: &'a [InputBlock],
}

/// A part of a prompt.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum InputBlock {
    Text { text: String },
    Image { source: ImageSource },
}

/// A picture.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ImageSource {
    Base64 { media_type: String, data: String },
}

/// A prompt as a line.
pub(crate) fn prompt_line(content: &[InputBlock]) -> Vec<u8> {
    let input = Input::User { message: InputMessage { role: "user", content } };
    // Memory takes every byte, and all of it has a JSON form.
    let mut line = serde_json::to_vec(&input).unwrap_or_default();
    line.push(b'\n');
    line
}
