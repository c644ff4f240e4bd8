//! Universal sessions: the same for every agent, durable, without any knowledge of ACP.

mod agent_error;
mod create;
mod event;
mod event_type;
mod exchange;
mod message;
mod queue;
mod request;
mod session;
mod transcript;
mod webhook;
mod words;

pub use agent_error::AgentError;
pub use create::{
    CreateSession, Decision, McpServers, PermissionPolicy, PermissionRule, SessionPatch, TimeoutDecision,
};
pub use event::{
    ChangedChoices, Command, CommandsAvailable, Compaction, Continuity, ContinuityKind, CrashInfo, Ended,
    EventData, EventPage, InfoChanged, ModeChanged, Notice, NoticeSeverity, Plan, PlanEntry, PlanPriority,
    PlanStatus, Started, StopReason, TurnEnded, TurnStarted, UniversalEvent, Unknown, Usage, UsageCost,
};
pub use event_type::EventType;
pub use exchange::{
    AllowRule, CancelResult, Delivery, ForkSession, MessageAccepted, PermissionReply, PermissionReplyKind,
    PostMessage, QuestionReply,
};
pub use message::{
    DeltaKind, Diff, FileSource, Location, MessageDelta, MessagePart, ParsedMessage, Role, ToolContent,
    ToolKind, ToolStatus, UniversalMessage, UnknownRole, UnparsedMessage,
};
pub use queue::{MessageWithdrawn, QueueHeld, QueueOrder, QueueReleased, QueueReordered, WithdrawnBy};
pub use request::{
    PermissionOption, PermissionRequest, PermissionResolved, Question, QuestionKind, QuestionOption,
    QuestionOutcome, QuestionRequest, QuestionResolved, ResolvedBy,
};
pub use session::{
    ChoiceGroup, OptionValue, PermissionMode, QueuedMessage, Session, SessionChoice, SessionChoices,
    SessionList, SessionOption, SessionState, Turn,
};
pub use transcript::{TranscriptMessage, TranscriptOrder, TranscriptPage, TranscriptState};
pub use webhook::{Webhook, WebhookDelivery, WebhookState, WebhookStatus};
pub use words::{CrashKind, CutOff, EndReason};
