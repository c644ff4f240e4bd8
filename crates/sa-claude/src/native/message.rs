//! Messages of the conversation as the CLI passes them on: streamed events, whole blocks, tool results.

use serde::Deserialize;
use serde_json::Value;

/// Tokens of one request to the model.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Tokens {
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) cache_read_input_tokens: Option<u64>,
    pub(crate) cache_creation_input_tokens: Option<u64>,
}

/// An event of the model's own stream.
#[derive(Debug, Deserialize)]
pub(crate) struct StreamFrame {
    pub(crate) event: Event,
    pub(crate) parent_tool_use_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        usage: Option<Tokens>,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Started {
    pub(crate) id: String,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Tokens>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(other)]
    Other,
}

/// A block of what the model says or does.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    #[serde(alias = "server_tool_use", alias = "mcp_tool_use")]
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

/// A whole block of the model, or words that the CLI puts into its mouth.
#[derive(Debug, Deserialize)]
pub(crate) struct AssistantFrame {
    pub(crate) message: Spoken,
    pub(crate) parent_tool_use_id: Option<String>,
    /// What went wrong, if these words are about an error of the model's API.
    pub(crate) error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Spoken {
    pub(crate) id: String,
    pub(crate) model: Option<String>,
    pub(crate) stop_reason: Option<String>,
    #[serde(default)]
    pub(crate) content: Vec<Value>,
}

impl Spoken {
    /// Returns whether the CLI made this message itself.
    pub(crate) fn is_synthetic(&self) -> bool {
        self.model.as_deref() == Some("<synthetic>")
    }
}

/// What goes back to the model: results of tools, and what the CLI says in the user's name.
#[derive(Debug, Deserialize)]
pub(crate) struct UserFrame {
    pub(crate) message: Reply,
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) uuid: Option<String>,
    #[serde(rename = "isReplay", default)]
    pub(crate) is_replay: bool,
    /// What the tool gave in its own form.
    pub(crate) tool_use_result: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    #[serde(default)]
    pub(crate) content: Value,
}

impl Reply {
    /// The results of tools in it.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&str, &Value)> {
        let blocks = self.content.as_array().map(Vec::as_slice).unwrap_or_default();
        blocks
            .iter()
            .filter(|block| block["type"] == "tool_result")
            .filter_map(|block| Some((block["tool_use_id"].as_str()?, block)))
    }
}
