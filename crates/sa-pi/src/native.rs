//! The lines that are exchanged with the CLI in its RPC mode. Unknown fields are ignored.

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Event {
    /// The answer to a command.
    Response {
        id: Option<String>,
        success: bool,
        data: Option<Value>,
        error: Option<String>,
    },
    AgentStart,
    AgentEnd,
    MessageStart {
        message: Message,
    },
    MessageUpdate {
        assistant_message_event: Delta,
    },
    MessageEnd {
        message: Message,
    },
    ToolExecutionStart {
        tool_call_id: String,
        tool_name: String,
        args: Value,
    },
    ToolExecutionUpdate {
        tool_call_id: String,
        partial_result: ToolResult,
    },
    ToolExecutionEnd {
        tool_call_id: String,
        result: ToolResult,
        is_error: bool,
    },
    CompactionStart,
    CompactionEnd {
        result: Option<Value>,
        will_retry: Option<bool>,
    },
    AutoRetryStart {
        attempt: u64,
        max_attempts: u64,
        delay_ms: u64,
        error_message: String,
    },
    /// A request or a notice of the extension.
    ExtensionUiRequest {
        id: String,
        method: String,
        title: Option<String>,
        placeholder: Option<String>,
        status_key: Option<String>,
    },
    ExtensionError {
        error: Option<String>,
    },
    TurnStart,
    TurnEnd,
    AutoRetryEnd,
    QueueUpdate,
    ThinkingLevelChanged,
}

/// A piece of the model's message.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Delta {
    #[serde(rename = "text_delta")]
    Text { delta: String },
    #[serde(rename = "thinking_delta")]
    Thinking { delta: String },
    #[serde(other)]
    Other,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) role: String,
    #[serde(default)]
    pub(crate) content: Value,
    pub(crate) usage: Option<Tokens>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) error_message: Option<String>,
    pub(crate) tool_call_id: Option<String>,
    #[serde(default)]
    pub(crate) is_error: bool,
}

/// Tokens and costs of a message.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    #[serde(default)]
    pub(crate) cost: Costs,
}

/// The price of a message in US dollars.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Costs {
    pub(crate) total: f64,
}

/// The result of a tool, or what there is of it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ToolResult {
    #[serde(default)]
    pub(crate) content: Value,
}

impl ToolResult {
    /// Returns all text of the result.
    pub(crate) fn text(&self) -> String {
        let blocks = self.content.as_array().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().filter_map(|block| block["text"].as_str()).collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct State {
    pub(crate) model: Option<Model>,
    pub(crate) thinking_level: String,
    pub(crate) session_id: String,
    pub(crate) session_file: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub(crate) id: String,
    pub(crate) provider: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) reasoning: bool,
    #[serde(default)]
    pub(crate) context_window: u64,
}

impl Model {
    /// Returns the id by which clients know the model.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct SlashCommand {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
}

/// A tool call that waits for permission, as the extension describes it.
#[derive(Debug, Clone, Deserialize)]
pub struct GatedCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) input: Value,
}

/// Returns a command that says no more than what it is.
pub(crate) fn plain(name: &str) -> Value {
    json!({ "type": name })
}

/// Returns a command as a line with that id.
pub(crate) fn line(mut command: Value, id: &str) -> Vec<u8> {
    command["id"] = json!(id);
    format!("{command}\n").into_bytes()
}
