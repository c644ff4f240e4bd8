//! Failures of calls.

use sa_api::Problem;
use std::time::Duration;
use thiserror::Error;

/// The outcome of a call.
pub(crate) type Result<T, E = ClientError> = std::result::Result<T, E>;

/// The failure of a call.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The caller passed an argument that cannot be sent.
    #[error("{0}")]
    Argument(String),
    /// No answer, or only a part of it: no connection, or it broke.
    #[error("{context}")]
    Transport {
        /// The call that failed.
        context: String,
        /// The cause.
        #[source]
        source: reqwest::Error,
    },
    /// The stream sent nothing, not even a heartbeat, for this long.
    #[error("no byte came for {} s", .0.as_secs())]
    Silent(Duration),
    /// The daemon refused, and says why.
    #[error("{}: {}", .problem.title, .problem.detail)]
    Problem {
        /// The HTTP status.
        status: u16,
        /// The daemon's words.
        problem: Box<Problem>,
    },
    /// An answer that the contract does not have: another program answers, or a gateway does.
    #[error("unexpected answer: {detail}")]
    Protocol {
        /// The HTTP status, where that is what was unexpected.
        status: Option<u16>,
        detail: String,
    },
}

impl ClientError {
    /// Returns whether the endpoint refused the connection.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Transport { source, .. } if source.is_connect())
    }

    /// The status with which the daemon refused.
    pub fn problem_status(&self) -> Option<u16> {
        match self {
            Self::Problem { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Returns whether the same call may succeed later: nothing answers, or the answer says so.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Argument(_) => false,
            Self::Transport { .. } | Self::Silent(_) => true,
            Self::Problem { status, .. } => is_temporary(*status),
            Self::Protocol { status, .. } => status.is_some_and(is_temporary),
        }
    }

    pub(crate) fn protocol(detail: impl Into<String>) -> Self {
        Self::Protocol { status: None, detail: detail.into() }
    }
}

impl From<Problem> for ClientError {
    fn from(problem: Problem) -> Self {
        Self::Problem { status: problem.status, problem: Box::new(problem) }
    }
}

fn is_temporary(status: u16) -> bool {
    status == 429 || status >= 500
}
