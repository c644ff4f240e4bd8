//! Requests to a session, and their answers.

use super::MessagePart;
use sa_api_macros::api;

/// A message for the agent: either `message` or `parts`.
#[api(strict, Default)]
pub struct PostMessage {
    /// Text of the message, in Markdown.
    #[schema(nullable = false, min_length = 1)]
    pub message: Option<String>,
    /// Parts of the message: text, files and images.
    #[schema(nullable = false, min_items = 1)]
    pub parts: Option<Vec<MessagePart>>,
    /// Delivery of the message while a turn runs.
    #[serde(default)]
    pub delivery: Delivery,
}

/// Delivery of a message while a turn runs.
#[api(Default)]
pub enum Delivery {
    /// The message waits for the end of the turn and of earlier messages.
    #[default]
    Queue,
    /// The turn is cancelled and the message is next.
    Interrupt,
}

/// An accepted message. It is stored and survives a crash of the daemon.
#[api(Eq)]
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
#[api(Eq)]
pub struct CancelResult {
    /// Id of the turn that is being cancelled. Absent if no turn runs.
    pub turn_id: Option<String>,
    /// Number of queued messages that were withdrawn.
    pub withdrawn: usize,
}

/// Settings of a fork.
#[api(strict, Default, Eq)]
pub struct ForkSession {
    /// Id of the new session. Generated if absent.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._~:@-]{0,127}$")]
    pub session_id: Option<String>,
    /// Title of the new session.
    pub title: Option<String>,
    /// Id of the last event that the new session has. By default all events are copied and the agent forks its own session. With
    /// this, a new session of the agent is given the conversation as text, which works with every agent.
    #[schema(minimum = 1)]
    pub until: Option<u64>,
}

/// Answers to a question request.
#[api(strict, Default, Eq)]
pub struct QuestionReply {
    /// For each question the labels of the chosen options, or the text of the answer.
    pub answers: Vec<Vec<String>>,
    /// Display name of the client, up to 100 characters. `questionResolved` reports it to other clients.
    #[schema(max_length = 100)]
    pub client: Option<String>,
}

/// Decision on a permission request.
#[api(strict, Eq)]
pub struct PermissionReply {
    /// Decision.
    pub reply: PermissionReplyKind,
    /// The agent's own id of an option, where several options share a reply.
    pub option_id: Option<String>,
    /// Instruction for the agent, with a rejection. It becomes the next message.
    pub message: Option<String>,
    /// With `always`: the calls that are allowed from now on. The daemon keeps this rule for the session, and the agent is
    /// allowed only this call. It must match the request. Without a rule, the agent itself decides what it remembers.
    pub rule: Option<AllowRule>,
    /// Display name of the client, up to 100 characters. `permissionResolved` reports it to other clients.
    #[schema(max_length = 100)]
    pub client: Option<String>,
}

/// A rule that allows calls in this session without asking. Every member that is present must match.
#[api(strict, Eq)]
pub struct AllowRule {
    /// The tool: its own name or its kind (`read`, `edit`, `execute`, …); `*` stands for any characters. Up to 8192
    /// characters.
    #[schema(max_length = 8192)]
    pub tool: String,
    /// Pattern for the command, path or address, up to 8192 characters; `*` matches any characters. Absent: every call of the tool.
    #[schema(max_length = 8192)]
    pub input: Option<String>,
}

/// Decision on a permission request.
#[api]
pub enum PermissionReplyKind {
    /// Allow this time.
    Once,
    /// Allow now and in the future.
    Always,
    /// Reject.
    Reject,
}
