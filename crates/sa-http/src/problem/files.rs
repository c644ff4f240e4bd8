//! Failures on files and configuration as problems.

use super::ApiError;
use sa_api::ErrorCode;
use sa_config::ConfigError;
use sa_files::FilesError;
use std::io::ErrorKind;

impl From<ConfigError> for ApiError {
    fn from(error: ConfigError) -> Self {
        let code = match &error {
            ConfigError::Invalid(_) => ErrorCode::InvalidRequest,
            ConfigError::Missing(_) => ErrorCode::NotFound,
            ConfigError::TooLarge(_) => ErrorCode::PayloadTooLarge,
            ConfigError::TooMany(_) => ErrorCode::TooManyRequests,
            ConfigError::Disk(error) if error.is_full() => ErrorCode::InsufficientStorage,
            ConfigError::Disk(error) => match error.source.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorCode::PermissionDenied,
                _ => ErrorCode::Internal,
            },
        };
        Self::new(code, error.to_string())
    }
}

impl From<FilesError> for ApiError {
    fn from(error: FilesError) -> Self {
        let code = match error {
            FilesError::Invalid(_) => ErrorCode::InvalidRequest,
            FilesError::NotFound(_) => ErrorCode::NotFound,
            FilesError::Outside(_) | FilesError::Denied { .. } => ErrorCode::PermissionDenied,
            FilesError::Conflict(_) => ErrorCode::Conflict,
            FilesError::Precondition(_) => ErrorCode::PreconditionFailed,
            FilesError::TooLarge(_) => ErrorCode::PayloadTooLarge,
            FilesError::Range { .. } => ErrorCode::RangeNotSatisfiable,
            FilesError::NoSpace(_) => ErrorCode::InsufficientStorage,
            FilesError::TooMany(_) => ErrorCode::TooManyRequests,
            FilesError::Stalled(_) => ErrorCode::RequestTimeout,
            FilesError::Unsupported(_) => ErrorCode::UnsupportedPlatform,
            FilesError::Io { .. } => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}
