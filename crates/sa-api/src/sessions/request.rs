//! Questions and permissions: what an agent waits for a person to decide.

use super::MessagePart;
use super::{AllowRule, PermissionReplyKind, ToolKind};
use crate::Timestamp;
use sa_api_macros::api;
use serde_json::Value;

/// A request for answers. It stays open until it is answered or rejected, or its turn ends.
#[api(Default)]
pub struct QuestionRequest {
    /// Id of the request, unique in its session.
    pub id: String,
    /// Id of the turn in which the agent asks. Absent outside of turns.
    pub turn_id: Option<String>,
    /// Id of the tool call that asks.
    pub tool_call_id: Option<String>,
    /// Introduction to the questions, if there is one.
    pub message: Option<String>,
    /// Questions. A reply has one entry in `answers` for each.
    pub questions: Vec<Question>,
    /// True if the agent asks for the approval of a plan.
    #[optional]
    pub plan_approval: bool,
    /// Time at which the request is rejected, unless it is answered before.
    pub expires_at: Option<Timestamp>,
}

/// A question.
#[api(Default)]
pub struct Question {
    /// Short heading of the question.
    pub header: Option<String>,
    /// Text of the question.
    pub question: String,
    /// Kind of the answer.
    pub kind: QuestionKind,
    /// Options to choose from. Answers are labels.
    #[optional]
    pub options: Vec<QuestionOption>,
    /// True if several options may be chosen.
    pub multi_select: bool,
    /// True if an answer may be something else than an option.
    pub custom: bool,
    /// True if an answer is required.
    pub required: bool,
    /// Address to visit, if the question is answered there.
    pub url: Option<String>,
    /// Least number that is accepted.
    pub minimum: Option<f64>,
    /// Greatest number that is accepted.
    pub maximum: Option<f64>,
    /// Least number of characters of a text.
    pub min_length: Option<u64>,
    /// Greatest number of characters of a text.
    pub max_length: Option<u64>,
    /// Regular expression that is to be found in a text. The daemon checks patterns that can be matched in linear time; it passes
    /// answers to others, such as those with a look-ahead, to the agent unchecked.
    pub pattern: Option<String>,
    /// Format of a text: `email`, `uri`, `date` or `date-time`. The daemon does not check other formats.
    pub format: Option<String>,
    /// Least number of options to choose.
    pub min_items: Option<u64>,
    /// Greatest number of options to choose.
    pub max_items: Option<u64>,
    /// Answer to suggest, in the form of an entry of `answers`.
    #[optional]
    pub default: Vec<String>,
}

/// Kind of the answer to a question.
#[api(Default)]
pub enum QuestionKind {
    /// One or several of the options.
    Choice,
    /// Text.
    #[default]
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A visit to an address. The answer only confirms it.
    Url,
}

/// An option of a question.
#[api(Eq)]
pub struct QuestionOption {
    /// Label, which is also the answer.
    pub label: String,
    /// Description of the option.
    pub description: Option<String>,
}

/// End of a question request.
#[api]
pub struct QuestionResolved {
    /// Id of the question request.
    pub id: String,
    /// Outcome.
    pub outcome: QuestionOutcome,
    /// Answers, if it was answered.
    pub answers: Option<Vec<Vec<String>>>,
    /// Cause of the outcome.
    pub by: ResolvedBy,
    /// Name that the client gave itself.
    pub client: Option<String>,
}

/// Outcome of a question request.
#[api]
pub enum QuestionOutcome {
    /// Answered.
    Answered,
    /// Rejected.
    Rejected,
    /// Withdrawn. `by` has the cause.
    Cancelled,
}

/// Cause of the end of a question or permission request.
#[api]
pub enum ResolvedBy {
    /// A client replied.
    Client,
    /// A rule of the session's policy matched.
    Rule,
    /// The permission mode of the session decided.
    PermissionMode,
    /// No rule matched, and the agent would not have asked: the call only reads, or was allowed before.
    Agent,
    /// Nobody replied in time.
    Timeout,
    /// The turn ended.
    TurnEnded,
    /// The agent exited.
    AgentEnded,
    /// The agent withdrew the request.
    Withdrawn,
    /// The daemon restarted.
    DaemonRestarted,
}

/// A request for permission. It stays open until it is answered, or its turn ends.
#[api]
pub struct PermissionRequest {
    /// Id of the request, unique in its session.
    pub id: String,
    /// Id of the turn in which the agent asks. Absent outside of turns.
    pub turn_id: Option<String>,
    /// Id of the tool call that needs the permission.
    pub tool_call_id: String,
    /// Name of the tool, if the agent reports it.
    pub tool: Option<String>,
    /// Display title of the action.
    pub title: String,
    /// Kind of the tool.
    pub kind: ToolKind,
    /// Input of the tool.
    pub input: Option<Value>,
    /// Preview of the action, such as the change to a file.
    #[optional]
    pub parts: Vec<MessagePart>,
    /// Replies that the agent accepts.
    pub options: Vec<PermissionOption>,
    /// Time at which the request is decided, unless it is answered before.
    pub expires_at: Option<Timestamp>,
}

/// A reply that the agent accepts.
#[api(Eq)]
pub struct PermissionOption {
    /// The agent's own id of the option. A reply may name it.
    pub id: String,
    /// Display name of the option.
    pub name: String,
    /// Reply that stands for the option. If several options share a reply, it means the first one.
    pub reply: PermissionReplyKind,
}

/// End of a permission request.
#[api]
pub struct PermissionResolved {
    /// Id of the permission request.
    pub id: String,
    /// Decision. Absent if the request was withdrawn before a decision.
    pub reply: Option<PermissionReplyKind>,
    /// The agent's own id of the option.
    pub option_id: Option<String>,
    /// Rule that the decision added to the session.
    pub rule: Option<AllowRule>,
    /// Cause of the decision.
    pub by: ResolvedBy,
    /// Name that the client gave itself.
    pub client: Option<String>,
}
