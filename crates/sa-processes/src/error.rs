//! The errors of this crate.

use sa_supervisor::SpawnError;
use std::io;
use thiserror::Error;

/// The reason why a process was not started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Too many processes are running.
    #[error("{0} processes run already; see maxConcurrentProcesses")]
    TooMany(usize),
    /// The process cannot be started, now or later.
    #[error("{0}")]
    Refused(SpawnError),
    /// The system has no process, descriptor or memory to spare.
    #[error("{0}")]
    Exhausted(SpawnError),
    /// The system cannot just now.
    #[error("{0}")]
    Failed(SpawnError),
    /// The daemon is stopping.
    #[error("the daemon is shutting down")]
    ShuttingDown,
}

impl From<SpawnError> for StartError {
    fn from(error: SpawnError) -> Self {
        use io::ErrorKind as Kind;
        match &error {
            _ if error.is_exhausted() => Self::Exhausted(error),
            SpawnError::ShuttingDown => Self::ShuttingDown,
            SpawnError::Io(source) => match source.kind() {
                // A NUL byte in an argument, or more arguments than the system takes.
                Kind::InvalidInput | Kind::ArgumentListTooLong => Self::Refused(error),
                _ => Self::Failed(error),
            },
            SpawnError::NotFound { .. }
            | SpawnError::NotExecutable { .. }
            | SpawnError::BadDirectory { .. }
            | SpawnError::BadVariable { .. } => Self::Refused(error),
        }
    }
}

/// The reason why input was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InputError {
    /// The process has ended.
    #[error("the process has ended")]
    Ended,
    /// The standard input is closed, by the process or by the caller.
    #[error("the process's standard input is closed")]
    Closed,
    /// The process does not read, and the queue for it is full.
    #[error("the process does not read its input, and as much waits for it as may")]
    NotReading,
}

/// The reason why a terminal was not resized.
#[derive(Debug, Error)]
pub enum ResizeError {
    /// The process has no terminal.
    #[error("the process has no terminal: it was not created with tty")]
    NoTerminal,
    /// The process has ended.
    #[error("the process has ended")]
    Ended,
    /// The system refused.
    #[error("the terminal cannot be resized: {0}")]
    Io(#[from] io::Error),
}

/// The reason why a process was not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RemoveError {
    /// There is none of that id.
    #[error("there is no such process")]
    Unknown,
    /// The process is running.
    #[error("the process is running; stop or kill it first")]
    Running,
}
