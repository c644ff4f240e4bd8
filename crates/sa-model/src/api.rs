//! The model APIs: which of them a path belongs to, and who speaks for each.

use crate::conversation::Conversation;
use crate::dialect::Dialect;
use crate::{anthropic, chat, gemini, openai, responses, responses_request};
use serde_json::{Value, json};

/// A model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Messages,
    Responses,
    Chat,
    Gemini,
}

/// The operation of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// An answer of the model.
    Answer(Api),
    /// Counts the tokens of a request.
    Count(Api),
    /// The list of models.
    Models,
    /// A web socket in place of requests.
    Socket,
    Unknown,
}

/// The ends of the paths, as agents and gateways put different things before them.
const PATHS: [(&str, &str, Call); 9] = [
    ("POST", "/messages", Call::Answer(Api::Messages)),
    ("POST", "/messages/count_tokens", Call::Count(Api::Messages)),
    ("POST", "/responses", Call::Answer(Api::Responses)),
    ("POST", "/chat/completions", Call::Answer(Api::Chat)),
    ("POST", ":generateContent", Call::Answer(Api::Gemini)),
    ("POST", ":streamGenerateContent", Call::Answer(Api::Gemini)),
    ("POST", ":countTokens", Call::Count(Api::Gemini)),
    ("GET", "/models", Call::Models),
    ("GET", "/responses", Call::Socket),
];

impl Call {
    pub(crate) fn of(method: &str, path: &str) -> Self {
        let row = PATHS.iter().find(|(of, end, _)| *of == method && path.ends_with(end));
        row.map_or(Self::Unknown, |row| row.2.clone())
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
            Self::Responses => "responses",
            Self::Chat => "chat",
            Self::Gemini => "gemini",
        }
    }

    /// Reads a request.
    pub(crate) fn read(self, path: &str, body: &Value) -> Conversation {
        match self {
            Self::Messages => anthropic::read(body),
            Self::Responses => responses_request::read(body),
            Self::Chat => chat::read(body),
            Self::Gemini => gemini::read(path, body),
        }
    }

    /// Returns the writer of the answer to a request.
    pub(crate) fn dialect(self, model: &str, body: &Value) -> Box<dyn Dialect> {
        match self {
            Self::Messages => Box::new(anthropic::Messages::new(model)),
            Self::Responses => Box::new(responses::Responses::new(model)),
            Self::Chat => Box::new(chat::Chat::new(model, chat::wants_usage(body))),
            Self::Gemini => Box::new(gemini::Gemini::new(model)),
        }
    }

    /// The body of an error answer.
    pub(crate) fn error(self, status: u16, kind: Option<&str>, message: &str) -> Value {
        match self {
            Self::Messages => anthropic::error(status, kind, message),
            Self::Responses | Self::Chat => openai::error(status, kind, message),
            Self::Gemini => gemini::error(status, kind, message),
        }
    }

    /// The answer to a question for the number of tokens.
    pub(crate) fn count(self, tokens: u64) -> Value {
        match self {
            Self::Gemini => json!({ "totalTokens": tokens }),
            Self::Messages | Self::Responses | Self::Chat => json!({ "input_tokens": tokens }),
        }
    }
}
