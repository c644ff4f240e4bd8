//! What sessions refuse, as HTTP says it.

use crate::problem::ApiError;
use sa_api::sessions::AgentError;
use sa_api::{ErrorCode, Problem};
use sa_sessions::{AgentFailure, SessionError, StoreError};
use serde_json::json;

/// The refusal, about this session.
pub(super) fn about(id: &str) -> impl FnOnce(SessionError) -> ApiError {
    let id = id.to_owned();
    move |error| {
        let mut refused = ApiError::from(error);
        refused.0.session_id = Some(id);
        refused
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        let detail = error.to_string();
        let conflict = |what: &str| {
            Problem::new(ErrorCode::Conflict, detail.clone()).with_details(json!({ "what": what })).into()
        };
        match error {
            SessionError::Unknown(_) | SessionError::NotAsked(_) => Self::new(ErrorCode::NotFound, detail),
            SessionError::BadId(_) | SessionError::Invalid(_) => Self::invalid(detail),
            SessionError::Exists(_) => conflict("exists"),
            SessionError::Ended => conflict("ended"),
            SessionError::KeyReused => conflict("keyReused"),
            SessionError::Resolved { what, .. } => Problem::new(ErrorCode::Conflict, detail)
                .with_details(json!({ "what": "resolved", "decision": what }))
                .into(),
            SessionError::QueueFull(_) | SessionError::TooMany(_) => {
                Self::new(ErrorCode::TooManyRequests, detail)
            }
            SessionError::Agent(failure) => failure.into(),
            SessionError::Store(StoreError::Full) => Self::new(ErrorCode::InsufficientStorage, detail),
            SessionError::Store(_) => Self::new(ErrorCode::Internal, detail),
            SessionError::ShuttingDown => Self::new(ErrorCode::ShuttingDown, detail),
        }
    }
}

impl From<AgentFailure> for ApiError {
    fn from(failure: AgentFailure) -> Self {
        match failure {
            AgentFailure::Open(error) => return error.into(),
            AgentFailure::Call(error) => return error.into(),
            _ => {}
        }
        let (code, message, details) = match failure.to_api() {
            AgentError::TokenError { message } => (ErrorCode::CredentialsRefused, message, None),
            AgentError::ProcessExited { message, exit } => {
                (ErrorCode::AgentProcessExited, message, serde_json::to_value(exit).ok())
            }
            AgentError::InstallFailed { message } => (ErrorCode::InstallFailed, message, None),
            AgentError::SpawnFailed { message } => (ErrorCode::SpawnFailed, message, None),
            AgentError::Unsupported { message } => (ErrorCode::Unsupported, message, None),
            AgentError::Timeout { message } => (ErrorCode::Timeout, message, None),
            AgentError::Protocol { message, details } => (ErrorCode::AgentRefused, message, details),
        };
        let mut problem = Problem::new(code, message);
        problem.details = details;
        problem.into()
    }
}
