//! What clients send to a session, and what they get back.

use super::MessagePart;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message for the agent: `message` or `parts`, not both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PostMessage {
    /// Text of the message, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1)]
    pub message: Option<String>,
    /// Text, files and images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1)]
    pub parts: Option<Vec<MessagePart>>,
    /// What happens while a turn runs.
    #[serde(default)]
    #[schema(required = false)]
    pub delivery: Delivery,
}

/// What happens to a message that comes while a turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// It waits for the turn's end, after those that came before it.
    #[default]
    Queue,
    /// The turn is cancelled, and the message is the next.
    Interrupt,
}

/// A message was accepted: it is in the log, also if the daemon ends now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageAccepted {
    /// The turn that the message begins, or will begin.
    pub turn_id: String,
    /// The message's id in the events.
    pub message_id: String,
    /// The id of the event that the message is.
    pub event_id: u64,
    /// How many messages are before it.
    pub queued: usize,
}

/// What cancelling came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelResult {
    /// The turn that is being cancelled; absent if none runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn_id: Option<String>,
    /// How many waiting messages were taken back.
    pub withdrawn: usize,
}

/// A copy of a session that goes its own way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkSession {
    /// Id of the new session. Generated if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[A-Za-z0-9][A-Za-z0-9._~:@-]{0,127}$")]
    pub session_id: Option<String>,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub title: Option<String>,
}

/// Answers to a question request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionReply {
    /// For each question the chosen labels, or what was written.
    pub answers: Vec<Vec<String>>,
}

/// A decision on a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionReply {
    /// The decision.
    pub reply: PermissionReplyKind,
    /// The agent's own id of an option, to tell apart those of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub option_id: Option<String>,
    /// What the agent is told, with a rejection: it becomes the next message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionReplyKind {
    /// Yes, this time.
    Once,
    /// Yes, and do not ask again.
    Always,
    /// No.
    Reject,
}
