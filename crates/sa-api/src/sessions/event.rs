//! The events of a session's log.

use super::{
    CrashKind, CutOff, EndReason, MessageDelta, MessageWithdrawn, PermissionRequest, PermissionResolved,
    QuestionRequest, QuestionResolved, QueueHeld, QueueReleased, QueueReordered, SessionChoice,
    SessionOption, UniversalMessage,
};
use crate::{AgentExit, Timestamp};
use sa_api_macros::api;
use serde_json::Value;

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

/// Declares the events once: their data, and their names for `type` and for filters.
macro_rules! events {
    ($($(#[doc = $doc:literal])+ $variant:ident($data:ty),)+) => {
        /// Data of an event: an object with one member, named after the event's type.
        #[api]
        pub enum EventData {
            $($(#[doc = $doc])+ $variant($data),)+
        }

        /// Name of a kind of event.
        #[api(PartialOrd, Ord, Hash)]
        pub enum EventType {
            $(
                #[allow(missing_docs, reason = "each is described at the variant of EventData")]
                $variant,
            )+
        }

        impl EventData {
            /// Returns the type of the event that this is the data of.
            pub fn event_type(&self) -> EventType {
                match self {
                    $(Self::$variant(_) => EventType::$variant),+
                }
            }
        }
    };
}

events! {
    /// The agent is ready, for the first time or again.
    Started(Started),
    /// A new message, or the newest state of a message.
    Message(UniversalMessage),
    /// A piece of a message that is being written.
    MessageDelta(MessageDelta),
    /// The agent asks a question.
    QuestionAsked(QuestionRequest),
    /// A question was answered, rejected or withdrawn.
    QuestionResolved(QuestionResolved),
    /// The agent asks for a permission.
    PermissionAsked(PermissionRequest),
    /// A permission request was decided or withdrawn.
    PermissionResolved(PermissionResolved),
    /// The agent's plan. Replaces the plan before.
    Plan(Plan),
    /// The agent started to work on a message.
    TurnStarted(TurnStarted),
    /// The agent finished working on a message.
    TurnEnded(TurnEnded),
    /// A message was taken out of the queue before its turn began.
    MessageWithdrawn(MessageWithdrawn),
    /// The daemon was restarted while messages waited; they wait until the session is resumed.
    QueueHeld(QueueHeld),
    /// Messages that were held are given to the agent again.
    QueueReleased(QueueReleased),
    /// A client changed the order of the messages that wait.
    QueueReordered(QueueReordered),
    /// The mode, model or another setting changed, or the choices did.
    ModeChanged(ModeChanged),
    /// The title changed.
    InfoChanged(InfoChanged),
    /// Commands that a message may begin with. Replaces the commands before.
    CommandsAvailable(CommandsAvailable),
    /// Tokens and cost of the session.
    Usage(Usage),
    /// A notice from the agent that is not part of a message.
    Notice(Notice),
    /// The agent summarized the conversation to make room in its context.
    Compaction(Compaction),
    /// A failure.
    Error(CrashInfo),
    /// The agent's memory of the conversation after a restart.
    Continuity(Continuity),
    /// The session ended.
    Ended(Ended),
    /// Output of the agent that has no other form.
    Unknown(Unknown),
}

/// Data of the event `started`.
#[api(Default)]
pub struct Started {
    /// Version of the agent, if it is known.
    pub agent_version: Option<String>,
    /// Working directory of the agent.
    pub cwd: String,
    /// Id of the session that this one was forked from.
    pub forked_from: Option<String>,
}

/// A plan of the agent.
#[api(Default, Eq)]
pub struct Plan {
    /// Entries of the plan, in order.
    pub entries: Vec<PlanEntry>,
}

/// An entry of a plan.
#[api(Eq)]
pub struct PlanEntry {
    /// Text of the entry.
    pub content: String,
    /// Status of the entry.
    pub status: PlanStatus,
    /// Priority of the entry.
    pub priority: PlanPriority,
}

/// Status of an entry of a plan.
#[api]
pub enum PlanStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
}

/// Priority of an entry of a plan.
#[api]
pub enum PlanPriority {
    /// High.
    High,
    /// Medium.
    Medium,
    /// Low.
    Low,
}

/// Start of a turn.
#[api(Eq)]
pub struct TurnStarted {
    /// Id of the turn.
    pub turn_id: String,
    /// Id of the message that the turn works on. Absent if the agent started the turn by itself.
    pub message_id: Option<String>,
}

/// End of a turn.
#[api]
pub struct TurnEnded {
    /// Id of the turn.
    pub turn_id: String,
    /// Reason why the turn ended.
    pub stop_reason: StopReason,
    /// The reason its end is not known, for a `stopReason` of `unknown`: `daemonRestarted`, or `transferred` if the session was
    /// exported or forked while the turn ran.
    #[schema(value_type = Option<String>)]
    #[cfg_attr(feature = "json-schema", schemars(with = "Option<String>"))]
    pub reason: Option<CutOff>,
    /// Usage of the turn, if the agent reports it.
    pub usage: Option<Usage>,
}

/// Reason why a turn ended.
#[api]
pub enum StopReason {
    /// The agent finished.
    EndTurn,
    /// The model reached its output limit.
    MaxTokens,
    /// The agent reached its limit of requests to the model.
    MaxTurnRequests,
    /// The model refused.
    Refusal,
    /// A client cancelled the turn.
    Cancelled,
    /// The turn failed. An `error` event before this one has the details.
    Error,
    /// The end of the turn was not observed. `reason` has the cause.
    Unknown,
}

/// Change of the mode, model or another setting.
#[api(Default)]
pub struct ModeChanged {
    /// Current values, and the lists that have changed.
    pub choices: ChangedChoices,
}

/// Current mode, model and variant of a session, with the lists of choices that differ from those before. A list that is absent
/// is as it was; before the first event all lists are empty.
#[api(Default)]
pub struct ChangedChoices {
    /// The agent's own mode.
    pub mode: Option<String>,
    /// Modes to choose from.
    pub modes: Option<Vec<SessionChoice>>,
    /// The model.
    pub model: Option<String>,
    /// Models to choose from.
    pub models: Option<Vec<SessionChoice>>,
    /// The model's variant.
    pub variant: Option<String>,
    /// Variants of the model to choose from.
    pub variants: Option<Vec<SessionChoice>>,
    /// Other options with their values; all of them if one has changed.
    pub options: Option<Vec<SessionOption>>,
}

/// Change of the title.
#[api(Default)]
pub struct InfoChanged {
    /// The title. Absent if there is none any more.
    pub title: Option<String>,
}

/// Commands that a message may begin with.
#[api(Default, Eq)]
pub struct CommandsAvailable {
    /// All commands.
    pub commands: Vec<Command>,
}

/// A command that a message may begin with, after a slash.
#[api(Eq)]
pub struct Command {
    /// Name of the command, without the slash.
    pub name: String,
    /// Description of the command.
    pub description: String,
    /// Hint for the input of the command. Absent if it takes none.
    pub input_hint: Option<String>,
}

/// Tokens and cost. Members that the agent does not report are absent.
#[api(Default)]
pub struct Usage {
    /// Tokens in the model's context.
    pub context_used: Option<u64>,
    /// Tokens that the model's context can hold.
    pub context_size: Option<u64>,
    /// Tokens that were used.
    #[serde(flatten)]
    pub tokens: TokenCounts,
    /// Cost.
    pub cost: Option<UsageCost>,
}

/// Tokens by what they were used for.
#[api(Copy, Default, Eq)]
pub struct TokenCounts {
    /// Input tokens.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    pub cached_read_tokens: Option<u64>,
    /// Tokens written to a cache.
    pub cached_write_tokens: Option<u64>,
    /// Reasoning tokens.
    pub thought_tokens: Option<u64>,
    /// All tokens.
    pub total_tokens: Option<u64>,
}

/// A cost.
#[api]
pub struct UsageCost {
    /// Amount.
    pub amount: f64,
    /// Currency, as an ISO 4217 code.
    pub currency: String,
}

/// A notice from the agent that is not part of a message.
#[api(Eq)]
pub struct Notice {
    /// Severity of the notice.
    pub severity: NoticeSeverity,
    /// Title of the notice.
    pub title: String,
    /// Description of the notice.
    pub description: Option<String>,
}

/// Severity of a notice.
#[api]
pub enum NoticeSeverity {
    /// Information.
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
}

/// A summary of the conversation that replaces it in the agent's context.
#[api(Default)]
pub struct Compaction {
    /// Id of the compaction.
    pub id: Option<String>,
    /// Status of the compaction, in the agent's own words.
    pub status: Option<String>,
    /// A piece of the summary.
    pub summary: Option<String>,
    /// Output of the agent.
    pub raw: Value,
}

/// A failure.
#[api(Default)]
pub struct CrashInfo {
    /// Description of the failure.
    pub message: String,
    /// Kind of the failure, such as `agentExited`, `authRequired`, `installFailed`, `spawnFailed`,
    /// `unsupported`, `timeout`, `protocol`, `promptFailed`, `unparsed`, `gap`.
    #[schema(value_type = String)]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub kind: CrashKind,
    /// Id of the turn in which the failure happened.
    pub turn_id: Option<String>,
    /// Exit of the agent, if it exited.
    pub exit: Option<AgentExit>,
    /// Details from the agent.
    pub details: Option<Value>,
}

/// The agent's memory of the conversation after a restart.
#[api(Eq)]
pub struct Continuity {
    /// Kind of the memory.
    pub kind: ContinuityKind,
    /// Reason why the kind is not `native`.
    pub reason: Option<String>,
}

/// Kind of an agent's memory after a restart.
#[api]
pub enum ContinuityKind {
    /// The agent resumed its own session and remembers everything.
    Native,
    /// The agent gets the conversation as text with the next message.
    Replayed,
    /// The agent remembers nothing.
    Lost,
}

/// End of the session.
#[api(Eq)]
pub struct Ended {
    /// Reason: `terminated`.
    #[schema(value_type = String)]
    #[cfg_attr(feature = "json-schema", schemars(with = "String"))]
    pub reason: EndReason,
}

/// Output of the agent that has no other form.
#[api]
pub struct Unknown {
    /// Output of the agent.
    pub raw: Value,
}

/// A page of events.
#[api(Default)]
pub struct EventPage {
    /// Events in the order of their ids.
    pub events: Vec<UniversalEvent>,
    /// True if more events follow. With a filter: true if more events follow that pass it, or may follow, as a request looks
    /// at a limited number of events.
    pub has_more: bool,
    /// Id of the last event that was looked at: send it as `after` to continue.
    pub next: u64,
    /// Id of the oldest event that is kept. Present if events after `after` are no longer kept, or if `after` is beyond the newest
    /// event; the page then begins with the oldest event.
    pub oldest: Option<u64>,
}
