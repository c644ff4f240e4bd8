//! Why an agent did not tell.

use sa_install::InstallError;
use thiserror::Error;

/// Why an agent did not tell what it offers. Cheap to clone: whoever asked at the same time gets a copy.
#[derive(Debug, Clone, Error)]
pub enum ProbeError {
    /// The program is not here.
    #[error("it is not installed")]
    NotInstalled,
    /// It cannot be started here at all.
    #[error("its program does not speak ACP and nothing here drives it")]
    NotStartable,
    /// The directory of agents could not be read.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// It did not start.
    #[error("it could not be started: {0}")]
    Spawn(String),
    /// It ended, or closed its output.
    #[error("it ended before it answered{0}")]
    Ended(String),
    /// It said nothing for too long.
    #[error("it did not answer within {0} s")]
    Silent(u64),
    /// The agent wants credentials first.
    #[error("it is not logged in: {0}")]
    NotLoggedIn(String),
    /// It refused.
    #[error("it refused `{method}`: {message}")]
    Refused {
        /// What it was asked.
        method: &'static str,
        /// The words.
        message: String,
    },
}
