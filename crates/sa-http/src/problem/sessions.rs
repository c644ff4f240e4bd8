//! Failures of sessions as problems.

use super::ApiError;
use sa_api::sessions::AgentError;
use sa_api::{ErrorCode, Problem};
use sa_sessions::{AgentFailure, BadAnswers, SessionError, StoreError};
use serde_json::json;

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        let detail = error.to_string();
        let conflict = |what: &str| {
            Problem::new(ErrorCode::Conflict, detail.clone()).with_details(json!({ "what": what }))
        };
        match error {
            // The session that these name need not be the one in the path.
            SessionError::Unknown(id) => Problem::new(ErrorCode::NotFound, detail).with_session(id).into(),
            SessionError::BadId(id) => {
                Problem::new(ErrorCode::InvalidRequest, detail).with_session(id).into()
            }
            SessionError::Exists(id) => conflict("exists").with_session(id).into(),
            SessionError::NotAsked(_) => Self::new(ErrorCode::NotFound, detail),
            SessionError::Invalid(_) => Self::invalid(detail),
            SessionError::BadValue(_) => Self::new(ErrorCode::InvalidValue, detail),
            SessionError::NotStarted(id) => conflict("notStarted").with_session(id).into(),
            SessionError::Begun(_) => conflict("begun").into(),
            SessionError::OutOfBounds(BadAnswers::Bound { question, bound }) => {
                let details = json!({ "question": question, "bound": bound.name, "value": bound.value });
                Problem::new(ErrorCode::InvalidAnswer, detail).with_details(details).into()
            }
            SessionError::OutOfBounds(_) => Self::invalid(detail),
            SessionError::Ended => conflict("ended").into(),
            SessionError::KeyReused => conflict("keyReused").into(),
            SessionError::Resolved(verdict) => Problem::new(ErrorCode::Conflict, detail)
                .with_details(json!({ "what": "resolved", "resolved": verdict }))
                .into(),
            SessionError::QueueFull(_) | SessionError::TooMany(_) => {
                Self::new(ErrorCode::TooManyRequests, detail)
            }
            SessionError::Agent(failure) => failure.into(),
            SessionError::Store(StoreError::Full) => Self::new(ErrorCode::InsufficientStorage, detail),
            SessionError::Store(StoreError::Exhausted(_)) => Self::new(ErrorCode::ResourceExhausted, detail),
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
            AgentFailure::ProviderUnreachable(detail) => {
                return Self::new(ErrorCode::ProviderUnreachable, detail);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_without_descriptors_is_no_bug_of_the_daemon() {
        let status = |error| ApiError::from(SessionError::Store(error)).0.status;
        assert_eq!(status(StoreError::Exhausted("unable to open database file".to_owned())), 503);
        assert_eq!(status(StoreError::Full), 507);
        assert_eq!(status(StoreError::Io("disk I/O error".to_owned())), 500);
    }
}
