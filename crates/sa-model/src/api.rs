//! The model APIs: which of them a path belongs to, and who speaks for each.

use crate::anthropic;
use crate::conversation::Conversation;
use crate::dialect::Dialect;
use serde_json::Value;

/// A model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Messages,
}

/// What a path asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// An answer of the model.
    Answer(Api),
    /// How many tokens a request has.
    Count(Api),
    /// The list of models.
    Models,
    /// A web socket in place of requests.
    Socket,
    Unknown,
}

impl Call {
    /// By the end of the path: agents and gateways put different things before it.
    pub(crate) fn of(method: &str, path: &str) -> Self {
        let ends = |end: &str| path.ends_with(end);
        match method {
            "POST" if ends("/messages") => Self::Answer(Api::Messages),
            "POST" if ends("/messages/count_tokens") => Self::Count(Api::Messages),
            "GET" if ends("/models") => Self::Models,
            "GET" if ends("/responses") => Self::Socket,
            _ => Self::Unknown,
        }
    }

    pub(crate) fn api(&self) -> Option<Api> {
        match self {
            Self::Answer(api) | Self::Count(api) => Some(*api),
            Self::Models | Self::Socket | Self::Unknown => None,
        }
    }
}

impl Api {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
        }
    }

    /// Reads a request.
    pub(crate) fn read(self, _path: &str, body: &Value) -> Conversation {
        match self {
            Self::Messages => anthropic::read(body),
        }
    }

    /// Who tells the answer.
    pub(crate) fn dialect(self, conversation: &Conversation) -> Box<dyn Dialect> {
        match self {
            Self::Messages => Box::new(anthropic::Messages::new(&conversation.model)),
        }
    }

    /// The body of an error answer.
    pub(crate) fn error(self, status: u16, kind: Option<&str>, message: &str) -> Value {
        match self {
            Self::Messages => anthropic::error(status, kind, message),
        }
    }

    /// The answer to a question for the number of tokens.
    pub(crate) fn count(self, tokens: u64) -> Value {
        match self {
            Self::Messages => serde_json::json!({ "input_tokens": tokens }),
        }
    }
}
