//! Events of the server.

use super::about::Info;
use super::ask::{Permission, Questions};
use super::message::{Failure, Message, Part};
use sa_shell::Names;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// An event, as far as it matters here.
#[derive(Debug)]
pub(crate) enum Event {
    Created(Box<Info>),
    Updated(Box<Info>),
    Status(Status),
    Failed(Option<Failure>),
    Compacted,
    Message(Box<Message>),
    Part(Box<Part>),
    Delta(Delta),
    Todos(Vec<Todo>),
    Permission(Box<Permission>),
    Questions(Questions),
    /// A question, by its id, was answered, by whomever.
    Resolved(String),
    /// Commands may be others now.
    McpToolsChanged,
    /// Of no concern to clients.
    Ignored,
    Unknown(Value),
}

/// An event and the session that it is about.
#[derive(Debug)]
pub(crate) struct SourcedEvent {
    pub(crate) session: Option<String>,
    pub(crate) event: Event,
}

/// The state of a session.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Status {
    Idle,
    Busy,
    Retry(Retry),
    #[serde(other)]
    Other,
}

lenient! {
    /// A request to the model failed and is made again.
    struct Retry {
        attempt: u64,
        message: String,
        /// The time of the next attempt, in milliseconds since 1970.
        next: Value,
    }

    struct Todo(content: String) {
        status: String,
        priority: String,
    }
}

/// A piece of a part.
#[derive(Debug, Deserialize)]
pub(crate) struct Delta {
    #[serde(rename = "partID")]
    pub(crate) part: String,
    pub(crate) field: String,
    pub(crate) delta: String,
}

#[derive(Default, Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct About {
    #[serde(rename = "sessionID")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct With<T> {
    #[serde(alias = "info", alias = "part", alias = "status", alias = "error", alias = "todos")]
    value: T,
}

#[derive(Deserialize)]
struct Resolved {
    #[serde(rename = "requestID")]
    request: String,
}

/// Kinds of events that are of no concern to clients, by how they begin.
const IGNORED: Names = Names(
    "sync server. global. plugin. catalog. reference. integration. models-dev. installation. project. \
     workspace. worktree. vcs. file. lsp. pty. tui. command. mcp.browser message.removed \
     message.part.removed session.deleted session.diff session.idle session.next. permission.v2. \
     question.v2. ide. storage. account.",
);

impl SourcedEvent {
    /// Reads an event; `None` if it is none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        // Events of one directory come without an envelope.
        let payload = match serde_json::from_str::<Outer<'_>>(text).ok()? {
            Outer { payload: Some(payload), .. } => payload,
            Outer { r#type, properties, .. } => Payload { r#type, properties },
        };
        let kind = payload.r#type?;
        let properties = payload.properties.map_or("{}", RawValue::get);
        let event = known(&kind, properties).unwrap_or_else(|| {
            let properties = serde_json::from_str(properties).unwrap_or(Value::Null);
            Event::Unknown(serde_json::json!({ "type": kind, "properties": properties }))
        });
        let session = match event {
            Event::Ignored => None,
            _ => serde_json::from_str::<About>(properties).unwrap_or_default().session,
        };
        Some(Self { session, event })
    }
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(borrow)]
    payload: Option<Payload<'a>>,
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
}

fn known(kind: &str, properties: &str) -> Option<Event> {
    fn all<T: DeserializeOwned>(properties: &str) -> Option<T> {
        serde_json::from_str(properties).ok()
    }
    fn field<T: DeserializeOwned>(properties: &str) -> Option<T> {
        serde_json::from_str::<With<T>>(properties).ok().map(|with| with.value)
    }
    Some(match kind {
        "session.created" => Event::Created(field(properties)?),
        "session.updated" => Event::Updated(field(properties)?),
        "session.status" => Event::Status(field(properties)?),
        "session.error" => Event::Failed(field(properties)),
        "session.compacted" => Event::Compacted,
        "message.updated" => Event::Message(field(properties)?),
        "message.part.updated" => Event::Part(field(properties)?),
        "message.part.delta" => Event::Delta(all(properties)?),
        "todo.updated" => Event::Todos(field(properties)?),
        "permission.asked" => Event::Permission(all(properties)?),
        "question.asked" => Event::Questions(all(properties)?),
        "permission.replied" | "question.replied" | "question.rejected" => {
            Event::Resolved(all::<Resolved>(properties)?.request)
        }
        "mcp.tools.changed" => Event::McpToolsChanged,
        _ if IGNORED.iter().any(|begin| kind.starts_with(begin)) => Event::Ignored,
        _ => return None,
    })
}
