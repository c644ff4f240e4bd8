//! Failures of processes as problems.

use super::ApiError;
use sa_api::ErrorCode;
use sa_processes::{BadConfig, InputError, RemoveError, ResizeError, StartError};

impl From<StartError> for ApiError {
    fn from(error: StartError) -> Self {
        let code = match error {
            StartError::TooMany(_) => ErrorCode::Conflict,
            StartError::Refused(_) => ErrorCode::InvalidRequest,
            StartError::Failed(_) => ErrorCode::SpawnFailed,
            StartError::ShuttingDown => ErrorCode::ShuttingDown,
        };
        Self::new(code, error.to_string())
    }
}

impl From<InputError> for ApiError {
    fn from(error: InputError) -> Self {
        Self::new(ErrorCode::Conflict, error.to_string())
    }
}

impl From<ResizeError> for ApiError {
    fn from(error: ResizeError) -> Self {
        let code = match error {
            ResizeError::NoTerminal | ResizeError::Ended => ErrorCode::Conflict,
            ResizeError::Io(_) => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl From<RemoveError> for ApiError {
    fn from(error: RemoveError) -> Self {
        let code = match error {
            RemoveError::Unknown => ErrorCode::NotFound,
            RemoveError::Running => ErrorCode::Conflict,
        };
        Self::new(code, error.to_string())
    }
}

impl From<BadConfig> for ApiError {
    fn from(error: BadConfig) -> Self {
        Self::invalid(error.to_string())
    }
}
