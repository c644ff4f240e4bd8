//! How a question or permission was decided: for those who come too late.

use sa_api::sessions::{
    EventData, PermissionReplyKind, PermissionResolved, QuestionOutcome, QuestionResolved, ResolvedBy,
};
use serde::Serialize;
use std::fmt;

/// A decision, and whose it was.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Verdict {
    /// Of a question.
    Question(QuestionResolved),
    /// Of a permission.
    Permission(PermissionResolved),
}

impl Verdict {
    /// The subject of the decision.
    pub fn id(&self) -> &str {
        match self {
            Self::Question(resolved) => &resolved.id,
            Self::Permission(resolved) => &resolved.id,
        }
    }

    /// The end of a question without answers.
    pub(crate) fn question(id: String, outcome: QuestionOutcome, by: ResolvedBy) -> Self {
        Self::Question(QuestionResolved { id, outcome, answers: None, by, client: None })
    }

    /// The end of a question that nobody can answer any more.
    pub(crate) fn question_withdrawn(id: String, by: ResolvedBy) -> Self {
        Self::question(id, QuestionOutcome::Cancelled, by)
    }

    /// The end of a permission that nobody can grant any more.
    pub(crate) fn permission_withdrawn(id: String, by: ResolvedBy) -> Self {
        let (reply, option_id, rule, client) = (None, None, None, None);
        Self::Permission(PermissionResolved { id, reply, option_id, rule, by, client })
    }

    pub(crate) fn into_event(self) -> EventData {
        match self {
            Self::Question(resolved) => EventData::QuestionResolved(resolved),
            Self::Permission(resolved) => EventData::PermissionResolved(resolved),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, by) = match self {
            Self::Question(resolved) => {
                let what = match resolved.outcome {
                    QuestionOutcome::Answered => "answered",
                    QuestionOutcome::Rejected => "rejected",
                    QuestionOutcome::Cancelled => "withdrawn",
                };
                (what, resolved.by)
            }
            Self::Permission(resolved) => {
                let what = match resolved.reply {
                    Some(PermissionReplyKind::Once) => "allowed once",
                    Some(PermissionReplyKind::Always) => "allowed for good",
                    Some(PermissionReplyKind::Reject) => "rejected",
                    None => "withdrawn",
                };
                (what, resolved.by)
            }
        };
        let why = match by {
            ResolvedBy::Client => "by a client",
            ResolvedBy::Rule => "by a rule of the session",
            ResolvedBy::PermissionMode => "by the session's permission mode",
            ResolvedBy::Agent => "by the agent itself",
            ResolvedBy::Timeout => "when the time for it was over",
            ResolvedBy::TurnEnded => "when its turn ended",
            ResolvedBy::AgentEnded => "when its agent ended",
            ResolvedBy::Withdrawn => "by the agent",
            ResolvedBy::DaemonRestarted => "when the daemon restarted",
        };
        write!(f, "{what} {why}")
    }
}
