//! Questions and permissions: what an agent waits for a person to decide.

use super::MessagePart;
use super::{PermissionReplyKind, ToolKind};
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Questions that the agent asks at once. Lasts until it is answered, rejected, or its turn ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionRequest {
    /// Names it within its session.
    pub id: String,
    /// The turn in which it is asked; absent outside of turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn_id: Option<String>,
    /// The tool call that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_call_id: Option<String>,
    /// What it is about, if it is more than its questions say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// The questions; `answers` of a reply has one entry for each.
    pub questions: Vec<Question>,
    /// Whether this asks for the approval of a plan.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(required = false)]
    pub plan_approval: bool,
    /// When it is rejected automatically, unless it is answered before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expires_at: Option<Timestamp>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// A word or two that name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub header: Option<String>,
    /// The question.
    pub question: String,
    /// What is asked for.
    pub kind: QuestionKind,
    /// What can be chosen. Answers are labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub options: Vec<QuestionOption>,
    /// Whether several may be chosen.
    pub multi_select: bool,
    /// Whether an answer may be none of the options.
    pub custom: bool,
    /// Whether there has to be an answer.
    pub required: bool,
    /// Where to go, if it is to be answered elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub url: Option<String>,
    /// Least number that is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub minimum: Option<f64>,
    /// Greatest number that is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub maximum: Option<f64>,
    /// Least number of characters of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub min_length: Option<u64>,
    /// Greatest number of characters of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub max_length: Option<u64>,
    /// Regular expression that is to be found in a text. The daemon checks patterns that can be matched in linear time; it passes
    /// answers to others, such as those with a look-ahead, to the agent unchecked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pattern: Option<String>,
    /// Format of a text: `email`, `uri`, `date` or `date-time`. The daemon does not check other formats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub format: Option<String>,
    /// Least number of options to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub min_items: Option<u64>,
    /// Greatest number of options to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub max_items: Option<u64>,
    /// Answer to suggest, in the form of an entry of `answers`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub default: Vec<String>,
}

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    /// One or several of the options.
    Choice,
    /// Text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A visit to an address; the answer only says that it is done.
    Url,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// What an answer says.
    pub label: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
}

/// A question's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionResolved {
    /// The question's id.
    pub id: String,
    /// What became of it.
    pub outcome: QuestionOutcome,
    /// The answers, if it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub answers: Option<Vec<Vec<String>>>,
    /// Who decided.
    pub by: ResolvedBy,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum QuestionOutcome {
    /// It was answered.
    Answered,
    /// It was rejected.
    Rejected,
    /// Nobody can answer it any more; `by` says why.
    Cancelled,
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ResolvedBy {
    /// A client.
    Client,
    /// A rule of the session's.
    Rule,
    /// The session's permission mode.
    PermissionMode,
    /// No rule of the session's matched, and the agent would not have asked: it only reads, or was allowed for good.
    Agent,
    /// The time for it was over.
    Timeout,
    /// The turn ended, by itself or because it was cancelled.
    TurnEnded,
    /// The agent ended.
    AgentEnded,
    /// The agent took its request back; it no longer waits for an answer.
    Withdrawn,
    /// The daemon ended while the agent waited.
    DaemonRestarted,
}

/// Something that the agent wants to do. Lasts until it is answered, or its turn ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// Names it within its session.
    pub id: String,
    /// The turn in which it is asked; absent outside of turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn_id: Option<String>,
    /// The tool call that asks.
    pub tool_call_id: String,
    /// The tool's own name, if the agent tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool: Option<String>,
    /// What it wants to do, for people.
    pub title: String,
    /// What sort of thing that is.
    pub kind: ToolKind,
    /// What the tool would be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub input: Option<Value>,
    /// What it would do, such as the change to a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub parts: Vec<MessagePart>,
    /// Which replies the agent takes.
    pub options: Vec<PermissionOption>,
    /// When it is decided automatically, unless it is answered before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expires_at: Option<Timestamp>,
}

/// A reply that the agent takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// The agent's own id of it; a reply may name it.
    pub id: String,
    /// What it means, for people.
    pub name: String,
    /// The reply that stands for it. Several options may share one; the first is then meant.
    pub reply: PermissionReplyKind,
}

/// A permission's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionResolved {
    /// The permission's id.
    pub id: String,
    /// The decision; absent if nobody decided before it was withdrawn or its turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reply: Option<PermissionReplyKind>,
    /// The agent's own id of the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub option_id: Option<String>,
    /// Who decided.
    pub by: ResolvedBy,
}

fn is_false(value: &bool) -> bool {
    !*value
}
