//! Why an agent does not do what a session needs.

use super::RpcError;
use sa_api::AgentExit;
use sa_api::sessions::AgentError;
use sa_hub::{CallError, OpenError};
use sa_jsonrpc::codes;
use serde_json::json;
use thiserror::Error;

/// Why an agent does not do what a session needs.
#[derive(Debug, Clone, Error)]
pub enum AgentFailure {
    /// There is no such agent, or no room for it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It could not be started, or cannot be reached.
    #[error(transparent)]
    Call(#[from] CallError),
    /// It ended.
    #[error("the agent ended")]
    Ended(AgentExit),
    /// It refused a request.
    #[error("the agent refused {method}: {message}")]
    Refused {
        /// The request.
        method: String,
        /// The agent's words.
        message: String,
        /// Its code.
        code: i64,
        /// What it added.
        data: Option<Box<serde_json::Value>>,
    },
    /// It did not answer in time.
    #[error("the agent has not answered {method} within {seconds} s")]
    Late {
        /// The request.
        method: String,
        /// How long it had.
        seconds: u64,
    },
    /// It answered something that makes no sense.
    #[error("the agent's answer to {method} makes no sense: {reason}")]
    Nonsense {
        /// The request.
        method: String,
        /// Why.
        reason: String,
    },
    /// It cannot do what was asked for.
    #[error("{0}")]
    Unsupported(String),
    /// The credential is not accepted.
    #[error("{0}")]
    Token(String),
    /// The provider that was to check the credential did not answer.
    #[error("{0}")]
    ProviderUnreachable(String),
    /// A client cancelled before it had started.
    #[error("it was cancelled before the agent had started")]
    GivenUp,
    /// The skills or MCP servers that are asked for make no sense.
    #[error("{0}")]
    Surroundings(String),
    /// Skills could not be fetched.
    #[error("{0}")]
    Unreachable(String),
    /// The machine does not do what is needed, such as taking files.
    #[error("{0}")]
    Machine(String),
}

impl AgentFailure {
    pub(crate) fn refused(method: &str, error: RpcError) -> Self {
        Self::Refused {
            method: method.to_owned(),
            message: error.message,
            code: error.code,
            data: error.data.map(Box::new),
        }
    }

    /// Whether the agent wants credentials first.
    pub(crate) fn needs_credentials(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == i64::from(codes::AUTH_REQUIRED))
    }

    /// How the agent ended, if that is why.
    pub(crate) fn exit(&self) -> Option<&AgentExit> {
        match self {
            Self::Ended(exit) | Self::Call(CallError::Ended(exit) | CallError::NotRunning(exit)) => {
                Some(exit)
            }
            _ => None,
        }
    }

    /// A word for programs.
    pub(crate) fn kind(&self) -> &'static str {
        match self.to_api() {
            AgentError::TokenError { .. } => "authRequired",
            AgentError::ProcessExited { .. } => "agentExited",
            AgentError::InstallFailed { .. } => "installFailed",
            AgentError::SpawnFailed { .. } => "spawnFailed",
            AgentError::Unsupported { .. } => "unsupported",
            AgentError::Timeout { .. } => "timeout",
            AgentError::Protocol { .. } => "protocol",
        }
    }

    /// How the contract says it.
    pub fn to_api(&self) -> AgentError {
        let message = self.to_string();
        match self {
            Self::Token(_) => AgentError::TokenError { message },
            Self::Refused { .. } if self.needs_credentials() => AgentError::TokenError { message },
            Self::Ended(exit) => AgentError::ProcessExited { message, exit: exit.clone() },
            Self::Call(CallError::Ended(exit) | CallError::NotRunning(exit)) => {
                AgentError::ProcessExited { message, exit: exit.clone() }
            }
            Self::Call(CallError::Launch(_)) | Self::Unreachable(_) => AgentError::InstallFailed { message },
            Self::Call(CallError::Silent(_)) | Self::Late { .. } | Self::ProviderUnreachable(_) => {
                AgentError::Timeout { message }
            }
            Self::Open(_) | Self::Call(_) | Self::Machine(_) | Self::GivenUp => {
                AgentError::SpawnFailed { message }
            }
            Self::Unsupported(_) | Self::Surroundings(_) => AgentError::Unsupported { message },
            Self::Refused { code, data, .. } => {
                AgentError::Protocol { message, details: Some(json!({ "code": code, "data": data })) }
            }
            Self::Nonsense { .. } => AgentError::Protocol { message, details: None },
        }
    }
}
