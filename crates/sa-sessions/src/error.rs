//! Why a session does not do what it was asked to.

use crate::{AgentFailure, Verdict};
use sa_store::StoreError;
use sa_universal::BadAnswers;
use thiserror::Error;

/// A result with the usual error of this crate.
pub(crate) type Result<T, E = SessionError> = std::result::Result<T, E>;

/// The reason a session refuses a request.
#[derive(Debug, Clone, Error)]
pub enum SessionError {
    /// No such session.
    #[error("session '{0}' does not exist")]
    Unknown(String),
    /// There is one of that id.
    #[error("session '{0}' already exists; DELETE it first or use another id")]
    Exists(String),
    /// The id is of the wrong form.
    #[error(
        "invalid session id '{0}': expected 1 to 128 of A-Z, a-z, 0-9, '-', '_', '.', '~', ':', '@', starting with a letter or digit; not 'import'"
    )]
    BadId(String),
    /// The request makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// A value of the request cannot be used.
    #[error("{0}")]
    BadValue(String),
    /// There is nothing to fork.
    #[error("session '{0}' has not started, so there is nothing to fork")]
    NotStarted(String),
    /// The message's turn has begun.
    #[error("the turn of message '{0}' has begun; use POST …/cancel to stop it")]
    Begun(String),
    /// An answer does not keep a bound of its question.
    #[error(transparent)]
    OutOfBounds(BadAnswers),
    /// The session was terminated.
    #[error("the session has ended; it can be read, or forked by agents that can do that")]
    Ended,
    /// No such question or permission.
    #[error("the session has no question or permission '{0}'")]
    NotAsked(String),
    /// Somebody else was faster.
    #[error("'{id}' was decided already: {verdict}", id = .0.id(), verdict = .0)]
    Resolved(Box<Verdict>),
    /// The key was used for another request.
    #[error("this Idempotency-Key was used for another request")]
    KeyReused,
    /// Too many messages wait.
    #[error("{0} messages are waiting, as many as may")]
    QueueFull(usize),
    /// As many sessions as allowed exist.
    #[error("{0} sessions exist, as many as allowed; DELETE one or raise sessions.max")]
    TooMany(usize),
    /// The agent does not do it.
    #[error(transparent)]
    Agent(#[from] AgentFailure),
    /// The store does not do it.
    #[error(transparent)]
    Store(StoreError),
    /// The daemon is stopping.
    #[error("the daemon is shutting down")]
    ShuttingDown,
}

impl From<StoreError> for SessionError {
    /// A request that meets the end of a deletion finds no session, like every later one. The store closes only with the daemon.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UnknownSession(id) => Self::Unknown(id),
            StoreError::Closed => Self::ShuttingDown,
            other => Self::Store(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SessionError, StoreError};

    #[test]
    fn a_closed_store_means_that_the_daemon_stops() {
        assert!(matches!(SessionError::from(StoreError::Closed), SessionError::ShuttingDown));
    }

    #[test]
    fn a_session_that_the_store_has_no_longer_is_unknown() {
        let error = SessionError::from(StoreError::UnknownSession("s".to_owned()));
        assert!(matches!(error, SessionError::Unknown(id) if id == "s"));
        assert!(matches!(SessionError::from(StoreError::Full), SessionError::Store(StoreError::Full)));
    }
}
