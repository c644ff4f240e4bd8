//! Why a session does not do what it was asked to.

use crate::{AgentFailure, Verdict};
use sa_store::StoreError;
use sa_universal::BadAnswers;
use thiserror::Error;

/// Why a session does not do what it was asked to.
#[derive(Debug, Clone, Error)]
pub enum SessionError {
    /// No such session.
    #[error("there is no session '{0}'")]
    Unknown(String),
    /// There is one of that id.
    #[error("there is a session '{0}' already; DELETE it first or use another id")]
    Exists(String),
    /// The id is of the wrong form.
    #[error(
        "'{0}' is not a session id: use 1 to 128 of a-z, A-Z, 0-9, '-', '_', '.', starting with a letter or digit; not 'import'"
    )]
    BadId(String),
    /// The request makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// An answer does not keep a bound of its question.
    #[error(transparent)]
    OutOfBounds(BadAnswers),
    /// It was terminated.
    #[error("the session has ended; it can be read, or forked by agents that can do that")]
    Ended,
    /// No such question or permission.
    #[error("the session has asked nothing of the id '{0}'")]
    NotAsked(String),
    /// Somebody else was faster.
    #[error("'{id}' was decided already: {verdict}", id = .0.id(), verdict = .0)]
    Resolved(Box<Verdict>),
    /// The key was used for another message.
    #[error("this Idempotency-Key was used for another message")]
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
    Store(#[from] StoreError),
    /// The daemon is stopping.
    #[error("the daemon is shutting down")]
    ShuttingDown,
}
