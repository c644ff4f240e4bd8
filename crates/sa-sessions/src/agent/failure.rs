//! Why an agent does not do what a session needs.

use super::RpcError;
use sa_api::AgentExit;
use sa_api::sessions::{AgentError, CrashKind};
use sa_hub::{CallError, OpenError};
use sa_jsonrpc::codes;
use serde_json::json;
use thiserror::Error;

/// The reason an agent does not do what a session needs.
#[derive(Debug, Clone, Error)]
pub enum AgentFailure {
    /// There is no such agent, or no room for it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The agent could not be started, or cannot be reached.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The agent ended.
    #[error("the agent ended")]
    Ended(AgentExit),
    /// The agent refused a request.
    #[error("the agent refused {method}: {message}")]
    Refused {
        /// The request.
        method: String,
        /// The agent's words.
        message: String,
        /// The code of the error.
        code: i64,
        /// Additions of the agent.
        data: Option<Box<serde_json::Value>>,
    },
    /// The agent did not answer in time.
    #[error("the agent has not answered {method} within {seconds} s")]
    Late {
        /// The request.
        method: String,
        /// The time it had.
        seconds: u64,
    },
    /// The agent's answer makes no sense.
    #[error("the agent's answer to {method} makes no sense: {reason}")]
    Nonsense {
        /// The request.
        method: String,
        /// The reason.
        reason: String,
    },
    /// The agent cannot do what was requested.
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
    Context(String),
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

    pub(crate) fn nonsense(method: &str, reason: &dyn std::error::Error) -> Self {
        Self::Nonsense { method: method.to_owned(), reason: reason.to_string() }
    }

    /// Returns whether the agent wants credentials first.
    pub(crate) fn needs_credentials(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == i64::from(codes::AUTH_REQUIRED))
    }

    /// The agent's own word for what is wrong, if it has one.
    fn error_kind(&self) -> Option<&str> {
        match self {
            Self::Refused { data: Some(data), .. } => data["errorKind"].as_str(),
            _ => None,
        }
    }

    /// Returns whether the agent will never do what was asked for: it has no such mode, model or version.
    pub(crate) fn is_bad_choice(&self) -> bool {
        match self {
            Self::Unsupported(_) => true,
            Self::Call(error) => error.is_bad_version(),
            _ => false,
        }
    }

    /// Returns whether the agent could not start the program that it drives.
    pub(crate) fn is_spawn_failure(&self) -> bool {
        self.error_kind() == Some("spawn_failed")
    }

    /// Returns whether the agent's session is gone for good, so that only a new one can replace it. Everything else, such as a
    /// program that was killed, may be over the next time.
    pub(crate) fn is_session_lost(&self) -> bool {
        match self {
            Self::Unsupported(_) => true,
            Self::Refused { code, message, .. } => {
                let code = i32::try_from(*code).unwrap_or_default();
                matches!(code, codes::RESOURCE_NOT_FOUND | codes::METHOD_NOT_FOUND)
                    || code == codes::INVALID_PARAMS && names_unknown_session(message)
            }
            _ => false,
        }
    }

    /// Returns whether an agent that had the session open says that there is none.
    pub(crate) fn is_session_forgotten(&self) -> bool {
        matches!(self, Self::Refused { message, .. } if names_unknown_session(message))
    }

    /// Returns whether another process still holds the agent's session, and will let go of it.
    pub(crate) fn is_session_busy(&self) -> bool {
        let Self::Refused { message, .. } = self else { return false };
        self.error_kind() == Some("session_busy") || message.to_lowercase().contains("active writer")
    }

    /// Returns the agent's exit, if that is the reason.
    pub(crate) fn exit(&self) -> Option<&AgentExit> {
        match self {
            Self::Ended(exit) | Self::Call(CallError::Ended(exit) | CallError::NotRunning(exit)) => {
                Some(exit)
            }
            _ => None,
        }
    }

    /// A word for programs.
    pub(crate) fn kind(&self) -> CrashKind {
        match self.to_api() {
            AgentError::TokenError { .. } => CrashKind::AuthRequired,
            AgentError::ProcessExited { .. } => CrashKind::AgentExited,
            AgentError::InstallFailed { .. } => CrashKind::InstallFailed,
            AgentError::SpawnFailed { .. } => CrashKind::SpawnFailed,
            AgentError::Unsupported { .. } => CrashKind::Unsupported,
            AgentError::Timeout { .. } => CrashKind::Timeout,
            AgentError::Protocol { .. } => CrashKind::Protocol,
        }
    }

    /// Returns the failure in the form of the contract.
    pub fn to_api(&self) -> AgentError {
        let message = self.to_string();
        match self {
            Self::Token(_) => AgentError::TokenError { message },
            Self::Refused { .. } if self.needs_credentials() => AgentError::TokenError { message },
            Self::Ended(exit) | Self::Call(CallError::Ended(exit) | CallError::NotRunning(exit)) => {
                AgentError::ProcessExited { message, exit: exit.clone() }
            }
            Self::Call(CallError::Launch(_)) | Self::Unreachable(_) => AgentError::InstallFailed { message },
            Self::Call(CallError::Silent(_)) | Self::Late { .. } | Self::ProviderUnreachable(_) => {
                AgentError::Timeout { message }
            }
            Self::Open(_) | Self::Call(_) | Self::Machine(_) | Self::GivenUp => {
                AgentError::SpawnFailed { message }
            }
            Self::Unsupported(_) | Self::Context(_) => AgentError::Unsupported { message },
            Self::Refused { .. } if self.is_spawn_failure() => AgentError::SpawnFailed { message },
            Self::Refused { code, data, .. } => {
                AgentError::Protocol { message, details: Some(json!({ "code": code, "data": data })) }
            }
            Self::Nonsense { .. } => AgentError::Protocol { message, details: None },
        }
    }
}

/// Agents that do not know the code for it say in words that there is no such session.
fn names_unknown_session(message: &str) -> bool {
    let message = message.to_lowercase();
    ["session not found", "unknown session", "no such session"].iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: i64, message: &str, kind: Option<&str>) -> AgentFailure {
        let data = kind.map(|kind| json!({ "errorKind": kind }));
        AgentFailure::refused("session/resume", RpcError { code, message: message.to_owned(), data })
    }

    #[test]
    fn only_a_session_that_is_gone_is_given_up() {
        for (code, message, kind, lost) in [
            (-32002, "Resource not found", None, true),
            (-32601, "no such method", None, true),
            (-32602, "Session not found: 7", None, true),
            (-32602, "cwd does not exist", None, false),
            (-32603, "Claude Code ended with signal 9", Some("process_exited"), false),
            (-32603, "did not get ready in time", Some("handshake_failed"), false),
            (-32603, "thread 1 already has an active writer", Some("open_failed"), false),
            (-32000, "log in first", None, false),
        ] {
            let failure = refused(code, message, kind);
            assert_eq!(failure.is_session_lost(), lost, "{code} {message}");
            assert_eq!(failure.is_session_busy(), message.contains("writer"), "{code} {message}");
        }
        assert!(AgentFailure::Unsupported("cannot load".to_owned()).is_session_lost());
    }

    #[test]
    fn a_program_that_cannot_be_started_is_named_as_such() {
        let failure = refused(-32603, "program not found: /x", Some("spawn_failed"));
        assert_eq!(failure.kind(), CrashKind::SpawnFailed);
        assert_eq!(refused(-32603, "odd", None).kind(), CrashKind::Protocol);
    }
}
