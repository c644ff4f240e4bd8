//! The events of a session's log.

use super::{
    MessageDelta, MessageWithdrawn, PermissionRequest, PermissionResolved, QuestionRequest, QuestionResolved,
    QueueHeld, QueueReleased, SessionChoice, SessionOption, UniversalMessage,
};
use crate::{AgentExit, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Something that happened in a session. In JSON it also has `type`, the name of the single member of `data`.
#[derive(Debug, Clone, PartialEq)]
pub struct UniversalEvent {
    /// Id of the event. Ids count from 1 without gaps.
    pub id: u64,
    /// Time at which the event was recorded.
    pub timestamp: Timestamp,
    /// Id of the session.
    pub session_id: String,
    /// Id of the agent.
    pub agent: String,
    /// The agent's own id of the session, once it is known.
    pub native_session_id: Option<String>,
    /// Data of the event.
    pub data: EventData,
}

/// What happened: an object with one member, which names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum EventData {
    /// The agent is ready, for the first time or again.
    Started(Started),
    /// A message, or its newest state.
    Message(UniversalMessage),
    /// A piece of a message.
    MessageDelta(MessageDelta),
    /// The agent asks.
    QuestionAsked(QuestionRequest),
    /// A question's end.
    QuestionResolved(QuestionResolved),
    /// The agent wants to do something.
    PermissionAsked(PermissionRequest),
    /// A permission's end.
    PermissionResolved(PermissionResolved),
    /// What the agent means to do; replaces the one before.
    Plan(Plan),
    /// The agent works on a message.
    TurnStarted(TurnStarted),
    /// It no longer does.
    TurnEnded(TurnEnded),
    /// A message was taken out of the queue before its turn began.
    MessageWithdrawn(MessageWithdrawn),
    /// The daemon was restarted while messages waited; they wait until the session is resumed.
    QueueHeld(QueueHeld),
    /// Messages that were held are given to the agent again.
    QueueReleased(QueueReleased),
    /// Mode, model or the like have changed, or what can be chosen.
    ModeChanged(ModeChanged),
    /// The title has changed.
    InfoChanged(InfoChanged),
    /// The commands that messages may begin with; replaces those before.
    CommandsAvailable(CommandsAvailable),
    /// What the session has used.
    Usage(Usage),
    /// The agent says something that is no message.
    Notice(Notice),
    /// The agent sums up what was said, to make room.
    Compaction(Compaction),
    /// Something went wrong.
    Error(CrashInfo),
    /// What the agent remembers after it was started anew.
    Continuity(Continuity),
    /// The session has ended.
    Ended(Ended),
    /// Something that has no other form.
    Unknown(Unknown),
}

/// The agent is ready.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// The version that runs, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_version: Option<String>,
    /// The directory it works in.
    pub cwd: String,
    /// The session that this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub forked_from: Option<String>,
}

/// What the agent means to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// One after the other.
    pub entries: Vec<PlanEntry>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    /// What.
    pub content: String,
    /// How it stands.
    pub status: PlanStatus,
    /// How much it matters.
    pub priority: PlanPriority,
}

/// How an entry of a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanStatus {
    /// To be done.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// How much an entry of a plan matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanPriority {
    /// Much.
    High,
    /// So so.
    Medium,
    /// Little.
    Low,
}

/// The agent works on a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnStarted {
    /// Names the turn.
    pub turn_id: String,
    /// The message's id; absent if the agent began by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message_id: Option<String>,
}

/// A turn's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    /// The turn.
    pub turn_id: String,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Why its end is not known, for a `stopReason` of `unknown`: `daemonRestarted`, or `transferred` if the session was exported or
    /// forked while the turn ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
    /// What it used, if the agent tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub usage: Option<Usage>,
}

impl TurnEnded {
    /// The reasons that the daemon writes.
    pub const REASONS: &[&str] = &["daemonRestarted", "transferred"];
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The agent was done.
    EndTurn,
    /// The model could write no more.
    MaxTokens,
    /// The agent asked the model as often as it may.
    MaxTurnRequests,
    /// The model refused.
    Refusal,
    /// A client cancelled it.
    Cancelled,
    /// It failed; an `error` before it says how.
    Error,
    /// The end of the turn was not observed; `reason` says why.
    Unknown,
}

/// Mode, model or the like have changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModeChanged {
    /// Current values, and the lists that have changed.
    pub choices: ChangedChoices,
}

/// Current mode, model and variant of a session, with the lists of choices that differ from those before. A list that is absent
/// is as it was; before the first event all lists are empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedChoices {
    /// The agent's own mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mode: Option<String>,
    /// Modes to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub modes: Option<Vec<SessionChoice>>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// Models to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub models: Option<Vec<SessionChoice>>,
    /// The model's variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub variant: Option<String>,
    /// Variants of the model to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub variants: Option<Vec<SessionChoice>>,
    /// Other options with their values; all of them if one has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub options: Option<Vec<SessionOption>>,
}

/// The title has changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InfoChanged {
    /// The title; absent if there is none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub title: Option<String>,
}

/// The commands that messages may begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandsAvailable {
    /// All of them.
    pub commands: Vec<Command>,
}

/// A command that a message may begin with, after a slash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Command {
    /// Without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What may follow it; absent if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub input_hint: Option<String>,
}

/// What was used. Each figure is there only if the agent tells it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens in the model's context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub context_used: Option<u64>,
    /// Tokens that it can hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub context_size: Option<u64>,
    /// Tokens read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub input_tokens: Option<u64>,
    /// Tokens written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cached_read_tokens: Option<u64>,
    /// Tokens written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cached_write_tokens: Option<u64>,
    /// Tokens thought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub thought_tokens: Option<u64>,
    /// All tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub total_tokens: Option<u64>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cost: Option<UsageCost>,
}

/// What something cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageCost {
    /// How much.
    pub amount: f64,
    /// Of what, as ISO 4217 says it.
    pub currency: String,
}

/// The agent says something that is no message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// How serious it is.
    pub severity: NoticeSeverity,
    /// What it is about.
    pub title: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
}

/// How serious a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum NoticeSeverity {
    /// Good to know.
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
}

/// The agent sums up what was said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// Names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub id: Option<String>,
    /// How far it is, in the agent's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub status: Option<String>,
    /// A piece of the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub summary: Option<String>,
    /// What the agent sent.
    pub raw: Value,
}

/// What went wrong.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CrashInfo {
    /// What happened, for people.
    pub message: String,
    /// Kind of the failure, such as `agentExited`, `authRequired`, `installFailed`, `spawnFailed`,
    /// `unsupported`, `timeout`, `protocol`, `promptFailed`, `unparsed`, `gap`.
    pub kind: String,
    /// The turn in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn_id: Option<String>,
    /// How the agent ended, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub exit: Option<AgentExit>,
    /// What the agent sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<Value>,
}

impl CrashInfo {
    /// The kinds that the daemon writes.
    pub const KINDS: &[&str] = &[
        "agentExited",
        "authRequired",
        "installFailed",
        "spawnFailed",
        "unsupported",
        "timeout",
        "protocol",
        "promptFailed",
        "unparsed",
        "gap",
    ];
}

/// What the agent remembers after it was started anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Continuity {
    /// In short.
    pub kind: ContinuityKind,
    /// Why it is not more, if it is not `native`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
}

/// What the agent remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ContinuityKind {
    /// Everything: it went on with its own session.
    Native,
    /// What was said, which it was given with the next message.
    Replayed,
    /// Nothing.
    Lost,
}

/// The session has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// Why: `terminated`.
    pub reason: String,
}

/// Something that has no other form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unknown {
    /// What the agent sent.
    pub raw: Value,
}

/// A page of events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// In the order of their ids.
    pub events: Vec<UniversalEvent>,
    /// Whether more events follow. If a filter is given: whether more events follow that pass it, or may follow, as a request looks
    /// at a limited number of events.
    pub has_more: bool,
    /// Id of the last event that was looked at: send it as `after` to continue.
    pub next: u64,
    /// Id of the oldest event that is kept. Present if events after `after` are no longer kept, or if `after` is beyond the newest
    /// event; the page then begins with the oldest event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub oldest: Option<u64>,
}
