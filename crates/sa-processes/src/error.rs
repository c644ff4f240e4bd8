//! What can be refused, and why.

use sa_supervisor::SpawnError;
use std::io;
use thiserror::Error;

/// Why a process was not started.
#[derive(Debug, Error)]
pub enum StartError {
    /// As many run as may.
    #[error("{0} processes run already; see maxConcurrentProcesses")]
    TooMany(usize),
    /// What was asked for cannot be started, now or later.
    #[error("{0}")]
    Refused(SpawnError),
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

/// Why input was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InputError {
    /// It ended.
    #[error("the process has ended")]
    Ended,
    /// It closed its standard input, or the caller did.
    #[error("the process's standard input is closed")]
    Closed,
    /// It does not read, and what waits for it is as much as may.
    #[error("the process does not read its input, and as much waits for it as may")]
    NotReading,
}

/// Why a terminal was not resized.
#[derive(Debug, Error)]
pub enum ResizeError {
    /// It has none.
    #[error("the process has no terminal: it was not created with tty")]
    NoTerminal,
    /// It ended.
    #[error("the process has ended")]
    Ended,
    /// The system refused.
    #[error("the terminal cannot be resized: {0}")]
    Io(#[from] io::Error),
}

/// Why a process was not forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RemoveError {
    /// There is none of that id.
    #[error("there is no such process")]
    Unknown,
    /// It has not ended.
    #[error("the process is running; stop or kill it first")]
    Running,
}
