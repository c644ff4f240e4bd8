//! A session and its state.

use super::{AgentError, PermissionRequest, QuestionRequest, Usage, WebhookStatus};
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A page of sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// The newest first, by `createdAt`.
    pub sessions: Vec<Session>,
    /// Whether more sessions match.
    pub has_more: bool,
    /// The value of `after` that returns the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The id in its URL.
    pub session_id: String,
    /// False if the agent could not be started the last time that was tried; `error` says why.
    #[serde(default = "yes")]
    #[schema(required = true)]
    pub healthy: bool,
    /// The reason why the agent could not be started the last time; absent once it has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<AgentError>,
    /// Its agent.
    pub agent: String,
    /// The version that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_version: Option<String>,
    /// What the agent does: `build`, `plan` or a mode of its own.
    pub agent_mode: String,
    /// What it may do.
    pub permission_mode: PermissionMode,
    /// The model that was asked for; the agent's own choice if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// The model's variant that was asked for, such as `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub variant: Option<String>,
    /// The options that were asked for, by id; `choices.options` has what is set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub options: BTreeMap<String, OptionValue>,
    /// The directory it works in.
    pub cwd: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub title: Option<String>,
    /// What the client keeps with it.
    #[serde(default)]
    #[schema(value_type = Object, required = true)]
    pub metadata: Map<String, Value>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its newest event was recorded.
    pub updated_at: Timestamp,
    /// What it is doing.
    pub state: SessionState,
    /// The turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn: Option<Turn>,
    /// How many messages wait for their turn.
    pub queued: usize,
    /// The messages that wait, the next one first.
    #[serde(default)]
    #[schema(required = true)]
    pub queue: Vec<QueuedMessage>,
    /// Whether the queue stands still since the daemon was restarted. `POST …/resume` or a new message continues it.
    #[serde(default)]
    #[schema(required = true)]
    pub queue_held: bool,
    /// Questions that nobody has answered.
    pub questions: Vec<QuestionRequest>,
    /// Permissions that nobody has decided on.
    pub permissions: Vec<PermissionRequest>,
    /// What it has used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub usage: Option<Usage>,
    /// The chosen mode, model and options, and the possible ones. Always present for a single session; in lists only with
    /// `include=choices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub choices: Option<SessionChoices>,
    /// The agent's own id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub native_session_id: Option<String>,
    /// The session that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub forked_from: Option<String>,
    /// Id of its newest event; 0 before the first.
    pub last_event_id: u64,
    /// Id of the oldest event that is kept.
    pub oldest_event_id: u64,
    /// How its webhook stands, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub webhook: Option<WebhookStatus>,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SessionState {
    /// Its agent is being started.
    Starting,
    /// Nothing; it waits for a message.
    #[default]
    Idle,
    /// The agent works.
    Running,
    /// The agent waits for an answer.
    RequiresAction,
    /// The agent or the daemon ended; the next message starts the agent anew.
    Interrupted,
    /// It was terminated.
    Ended,
}

/// A message that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// The message's id in the events.
    pub message_id: String,
    /// The turn that it will begin.
    pub turn_id: String,
}

/// The turn that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Names it.
    pub turn_id: String,
    /// When it began.
    // Records of earlier versions have milliseconds under another name.
    #[serde(default)]
    #[schema(required = true)]
    pub started_at: Timestamp,
    /// Whether it was asked to stop.
    pub cancelling: bool,
}

/// What an agent may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// It asks before it changes anything.
    #[default]
    Default,
    /// It reads only; leaving that needs an approval, which is asked for as a question.
    Plan,
    /// It never asks.
    Bypass,
}

/// What is chosen, and what can be. A list is empty where the agent offers no choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionChoices {
    /// The agent's own mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mode: Option<String>,
    /// Its modes.
    pub modes: Vec<SessionChoice>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// Its models.
    pub models: Vec<SessionChoice>,
    /// The model's variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub variant: Option<String>,
    /// The model's variants.
    pub variants: Vec<SessionChoice>,
    /// Options of the agent other than mode, model and variant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub options: Vec<SessionOption>,
}

/// Something that can be set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionOption {
    /// Names it.
    pub id: String,
    /// For people.
    pub name: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    /// What it is about: `mode`, `model`, `thought_level`, or a word of the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub category: Option<String>,
    /// What it is set to.
    pub value: OptionValue,
    /// What it can be set to; empty for one that is on or off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub choices: Vec<SessionChoice>,
}

/// What an option is set to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum OptionValue {
    /// On or off.
    Switch(bool),
    /// The id of a choice.
    Choice(String),
}

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionChoice {
    /// Names it.
    pub id: String,
    /// For people.
    pub name: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    /// The group that it is shown in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub group: Option<ChoiceGroup>,
}

/// A group of choices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChoiceGroup {
    /// Names it.
    pub id: String,
    /// For people.
    pub name: String,
}

fn yes() -> bool {
    true
}
