//! Messages and what they are made of.

use super::or_default;
use serde::Deserialize;
use serde_json::Value;

/// A message without its parts.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Message {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) role: String,
    /// For messages of the model whether they sum the conversation up.
    #[serde(default)]
    summary: Value,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) cost: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) tokens: Tokens,
    #[serde(default)]
    pub(crate) error: Option<Failure>,
    #[serde(default)]
    pub(crate) finish: Option<String>,
}

impl Message {
    pub(crate) fn is_summary(&self) -> bool {
        self.summary == Value::Bool(true)
    }
}

/// The tokens of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(crate) struct Tokens {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) input: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) output: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) reasoning: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) cache: Cache,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(crate) struct Cache {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) read: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) write: f64,
}

/// The failure.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Failure {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) data: Value,
}

impl Failure {
    pub(crate) fn message(&self) -> &str {
        self.data["message"].as_str().filter(|message| !message.is_empty()).unwrap_or(&self.name)
    }

    /// The HTTP status that the model's API answered with.
    pub(crate) fn status(&self) -> Option<i64> {
        self.data["statusCode"].as_i64()
    }
}

/// A message with its parts.
#[derive(Debug, Deserialize)]
pub(crate) struct Whole {
    pub(crate) info: Message,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) parts: Vec<Part>,
}

/// A part of a message. Which fields it has depends on its type.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Part {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default", rename = "messageID")]
    pub(crate) message: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) r#type: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) text: String,
    /// Not written by the user, though in the user's name.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) synthetic: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) ignored: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) filename: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) tool: String,
    #[serde(default, deserialize_with = "or_default", rename = "callID")]
    pub(crate) call: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) state: State,
}

/// How far a tool call is.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct State {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) input: Value,
    #[serde(default)]
    pub(crate) output: Option<String>,
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) metadata: Value,
    /// Files that came of it.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) attachments: Vec<Part>,
}
