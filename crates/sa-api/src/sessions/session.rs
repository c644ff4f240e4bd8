//! A session and its state.

use super::{AgentError, PermissionRequest, QuestionRequest, Usage, WebhookStatus};
use crate::Timestamp;
use sa_api_macros::api;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A page of sessions.
#[api(Default)]
pub struct SessionList {
    /// Sessions, the newest first by `createdAt`.
    pub sessions: Vec<Session>,
    /// True if more sessions match.
    pub has_more: bool,
    /// Value of `after` that returns the next page. Absent on the last page.
    pub next: Option<String>,
}

/// A session.
#[api]
pub struct Session {
    /// Id of the session.
    pub session_id: String,
    /// False if the agent could not be started the last time that was tried; `error` says why.
    #[serde(default = "yes")]
    #[schema(required = true)]
    pub healthy: bool,
    /// The reason why the agent could not be started the last time; absent once it has started.
    pub error: Option<AgentError>,
    /// Id of the agent.
    pub agent: String,
    /// Version of the agent that was requested.
    pub agent_version: Option<String>,
    /// Mode of the agent: `build`, `plan` or a mode of its own.
    pub agent_mode: String,
    /// Permission mode.
    pub permission_mode: PermissionMode,
    /// Model that was requested. Absent for the agent's own choice.
    pub model: Option<String>,
    /// Variant of the model that was requested, such as `high`.
    pub variant: Option<String>,
    /// The options that were asked for, by id; `choices.options` has what is set.
    #[optional]
    pub options: BTreeMap<String, OptionValue>,
    /// Working directory.
    pub cwd: String,
    /// Title of the session.
    pub title: Option<String>,
    /// Metadata of the client's choice.
    #[serde(default)]
    #[schema(value_type = Object, required = true)]
    pub metadata: Map<String, Value>,
    /// Time at which the session was created.
    pub created_at: Timestamp,
    /// Time at which the newest event was recorded.
    pub updated_at: Timestamp,
    /// State of the session.
    pub state: SessionState,
    /// The running turn.
    pub turn: Option<Turn>,
    /// Number of messages that wait for their turn.
    pub queued: usize,
    /// The messages that wait, the next one first.
    #[newer]
    pub queue: Vec<QueuedMessage>,
    /// True if the queue is held since a restart of the daemon. `POST …/resume` or a new message continues it.
    #[newer]
    pub queue_held: bool,
    /// Open question requests.
    pub questions: Vec<QuestionRequest>,
    /// Open permission requests.
    pub permissions: Vec<PermissionRequest>,
    /// Tokens and cost of the session.
    pub usage: Option<Usage>,
    /// The chosen mode, model and options, and the possible ones. Always present for a single session; in lists only with
    /// `include=choices`.
    pub choices: Option<SessionChoices>,
    /// The agent's own id of the session.
    pub native_session_id: Option<String>,
    /// Id of the session that this one was forked from.
    pub forked_from: Option<String>,
    /// Id of the newest event. 0 before the first event.
    pub last_event_id: u64,
    /// Id of the oldest event that is kept.
    pub oldest_event_id: u64,
    /// Status of the webhook, if there is one.
    pub webhook: Option<WebhookStatus>,
}

/// State of a session.
#[api(Default)]
pub enum SessionState {
    /// The agent is being started.
    Starting,
    /// The session waits for a message.
    #[default]
    Idle,
    /// The agent works on a message.
    Running,
    /// The agent waits for an answer.
    RequiresAction,
    /// The agent or the daemon ended; the next message starts the agent again.
    Interrupted,
    /// The session was terminated.
    Ended,
}

/// A message that waits for its turn.
#[api(Eq)]
pub struct QueuedMessage {
    /// The message's id in the events.
    pub message_id: String,
    /// The turn that it will begin.
    pub turn_id: String,
}

/// A running turn.
#[api(Eq)]
pub struct Turn {
    /// Id of the turn.
    pub turn_id: String,
    /// Time at which the turn began.
    // Records of earlier versions have milliseconds under another name.
    #[newer]
    pub started_at: Timestamp,
    /// True if the turn is being cancelled.
    pub cancelling: bool,
    /// Id of the message that the turn works on.
    pub message_id: Option<String>,
    /// Id of the event before the first one of the turn. Read the events after it to follow the turn.
    #[newer]
    pub events_after: u64,
}

/// Permission mode of an agent.
#[api(Default, Hash)]
pub enum PermissionMode {
    /// The agent asks before it changes anything.
    #[default]
    Default,
    /// The agent only reads. Leaving this mode needs an approval, which is asked for as a question.
    Plan,
    /// The agent never asks.
    Bypass,
}

/// Current settings of a session and the choices for them. A list is empty if the agent offers no choice.
#[api(Default)]
pub struct SessionChoices {
    /// The agent's own mode.
    pub mode: Option<String>,
    /// Modes to choose from.
    pub modes: Vec<SessionChoice>,
    /// Model.
    pub model: Option<String>,
    /// Models to choose from.
    pub models: Vec<SessionChoice>,
    /// Variant of the model.
    pub variant: Option<String>,
    /// Variants of the model to choose from.
    pub variants: Vec<SessionChoice>,
    /// Options of the agent other than mode, model and variant.
    #[optional]
    pub options: Vec<SessionOption>,
}

/// An option of an agent.
#[api(Eq)]
pub struct SessionOption {
    /// Id of the option.
    pub id: String,
    /// Display name of the option.
    pub name: String,
    /// Description of the option.
    pub description: Option<String>,
    /// Category of the option: `mode`, `model`, `thought_level`, or one of the agent's own.
    pub category: Option<String>,
    /// Current value.
    pub value: OptionValue,
    /// Values to choose from. Empty for a switch.
    #[optional]
    pub choices: Vec<SessionChoice>,
}

/// Value of an option.
#[api(Eq)]
#[serde(untagged)]
pub enum OptionValue {
    /// On or off.
    Switch(bool),
    /// Id of a choice.
    Choice(String),
}

/// A value to choose.
#[api(Eq)]
pub struct SessionChoice {
    /// Id of the choice.
    pub id: String,
    /// Display name of the choice.
    pub name: String,
    /// Description of the choice.
    pub description: Option<String>,
    /// Group of the choice.
    pub group: Option<ChoiceGroup>,
}

/// A group of choices.
#[api(Eq)]
pub struct ChoiceGroup {
    /// Id of the group.
    pub id: String,
    /// Display name of the group.
    pub name: String,
}

fn yes() -> bool {
    true
}
