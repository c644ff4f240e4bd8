//! Errors of a probe.

use sa_install::InstallError;
use thiserror::Error;

/// The reason why an agent did not report its offer. Cheap to clone: all callers of the same probe get a copy.
#[derive(Debug, Clone, Error)]
pub enum ProbeError {
    /// The program is not installed.
    #[error("it is not installed")]
    NotInstalled,
    /// The agent cannot be started here.
    #[error("its program does not speak ACP and nothing here drives it")]
    NotStartable,
    /// The directory of agents could not be read.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The agent did not start.
    #[error("it could not be started: {0}")]
    Spawn(String),
    /// The agent exited, or closed its output.
    #[error("it ended before it answered{0}")]
    Ended(String),
    /// The agent said nothing for too long.
    #[error("it did not answer within {0} s")]
    Silent(u64),
    /// The agent wants credentials first.
    #[error("it is not logged in: {0}")]
    NotLoggedIn(String),
    /// The agent refused a request.
    #[error("it refused `{method}`: {message}")]
    Refused {
        /// The method of the request.
        method: &'static str,
        /// The agent's message.
        message: String,
    },
}
