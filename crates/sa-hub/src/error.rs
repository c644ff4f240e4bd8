//! Errors between a caller and an agent, as conditions a caller can act on.

use sa_agents::{NotStartable, UnknownAgent};
use sa_api::AgentExit;
use sa_install::{InstallError, LaunchError};
use sa_relay::Refused;
use std::time::Duration;
use thiserror::Error;

/// The reason why there is no server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    /// No server of this id, and no agent named to start one.
    #[error("there is no ACP server '{0}'; name an agent (?agent=) to start one")]
    Unknown(String),
    /// The catalog has no such agent.
    #[error(transparent)]
    UnknownAgent(#[from] UnknownAgent),
    /// The server runs another agent.
    #[error("the ACP server '{server}' runs '{bound}', not '{asked}'; DELETE it first or use another id")]
    OtherAgent {
        server: String,
        /// The agent it runs.
        bound: String,
        asked: String,
    },
    /// The server runs another version.
    #[error("the ACP server '{server}' runs version {bound}, not {asked}; DELETE it first or use another id")]
    OtherVersion {
        server: String,
        /// The version it was made with.
        bound: String,
        asked: String,
    },
    /// The agent can only be installed.
    #[error(transparent)]
    NotStartable(#[from] NotStartable),
    /// Too many servers exist.
    #[error("{0} ACP servers exist, as many as allowed; DELETE one or raise limits.servers")]
    TooMany(usize),
    /// The daemon is stopping.
    #[error("the daemon is shutting down")]
    ShuttingDown,
}

/// The reason why a message was not delivered or not answered.
#[derive(Debug, Clone, Error)]
pub enum CallError {
    /// The agent's program is not here and could not be installed.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The agent could not be started.
    #[error("agent '{agent}' could not be started: {reason}")]
    Spawn { agent: String, reason: String },
    /// The agent has ended earlier and nobody asked to start it again.
    #[error("the agent has ended; a POST with ?agent= starts it again")]
    NotRunning(AgentExit),
    /// The agent ended while the request waited.
    #[error("the agent ended before it answered")]
    Ended(AgentExit),
    /// The agent takes no input and the queue for it is full.
    #[error("the agent does not read its input; {queued} bytes are waiting for it")]
    NotReading { queued: usize },
    /// The relay takes no more requests.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The agent said nothing for too long.
    #[error("the agent has said nothing for {} s", .0.as_secs_f32())]
    Silent(Duration),
    /// The agent closed its input or output and is being ended.
    #[error("the agent has closed its input or output and is being ended")]
    Closing,
    /// The server was deleted, or the daemon is stopping.
    #[error("the ACP server was ended")]
    Deleted,
}

impl CallError {
    /// Returns whether there is no such version as was asked for.
    pub fn is_bad_version(&self) -> bool {
        use InstallError::{BadVersion, UnknownVersion};
        matches!(
            self,
            Self::Launch(
                LaunchError::NoVersions(_) | LaunchError::Install(UnknownVersion { .. } | BadVersion { .. })
            )
        )
    }
}
