//! What clients send to a session, and what they get back.

use super::MessagePart;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message for the agent: either `message` or `parts`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PostMessage {
    /// Text of the message, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1)]
    pub message: Option<String>,
    /// Parts of the message: text, files and images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1)]
    pub parts: Option<Vec<MessagePart>>,
    /// Delivery of the message while a turn runs.
    #[serde(default)]
    #[schema(required = false)]
    pub delivery: Delivery,
}

/// Delivery of a message while a turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// The message waits for the end of the turn and of earlier messages.
    #[default]
    Queue,
    /// The turn is cancelled and the message is next.
    Interrupt,
}

/// An accepted message. It is stored and survives a crash of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageAccepted {
    /// Id of the turn that the message begins or will begin.
    pub turn_id: String,
    /// Id of the message in events.
    pub message_id: String,
    /// Id of the event that has the message.
    pub event_id: u64,
    /// Number of messages before this one.
    pub queued: usize,
}

/// Result of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelResult {
    /// Id of the turn that is being cancelled. Absent if no turn runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn_id: Option<String>,
    /// Number of queued messages that were withdrawn.
    pub withdrawn: usize,
}

/// Settings of a fork.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkSession {
    /// Id of the new session. Generated if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[A-Za-z0-9][A-Za-z0-9._~:@-]{0,127}$")]
    pub session_id: Option<String>,
    /// Title of the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub title: Option<String>,
    /// Id of the last event that the new session has. By default all events are copied and the agent forks its own session. With
    /// this, a new session of the agent is given the conversation as text, which works with every agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    pub until: Option<u64>,
}

/// Answers to a question request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionReply {
    /// For each question the labels of the chosen options, or the text of the answer.
    pub answers: Vec<Vec<String>>,
    /// Display name of the client, up to 100 characters. `questionResolved` reports it to other clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100)]
    pub client: Option<String>,
}

/// Decision on a permission request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionReply {
    /// Decision.
    pub reply: PermissionReplyKind,
    /// The agent's own id of an option, where several options share a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub option_id: Option<String>,
    /// Instruction for the agent, with a rejection. It becomes the next message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// With `always`: the calls that are allowed from now on. The daemon keeps this rule for the session, and the agent is
    /// allowed only this call. It must match the request. Without a rule, the agent itself decides what it remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub rule: Option<AllowRule>,
    /// Display name of the client, up to 100 characters. `permissionResolved` reports it to other clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100)]
    pub client: Option<String>,
}

/// A rule that allows calls in this session without asking. Every member that is present must match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllowRule {
    /// The tool: its own name or its kind (`read`, `edit`, `execute`, …); `*` stands for any characters.
    pub tool: String,
    /// Pattern for the command, path or address; `*` matches any characters. Absent: every call of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub input: Option<String>,
}

/// Decision on a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionReplyKind {
    /// Allow this time.
    Once,
    /// Allow now and in the future.
    Always,
    /// Reject.
    Reject,
}
