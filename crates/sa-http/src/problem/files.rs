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
            ConfigError::Disk(error) if sa_disk::is_exhausted(&error.source) => ErrorCode::ResourceExhausted,
            ConfigError::Disk(error) => match error.source.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorCode::PermissionDenied,
                _ => ErrorCode::Internal,
            },
        };
        Self::new(code, error.to_string())
    }
}

codes! {
    FilesError {
        FilesError::Invalid(_) => InvalidRequest,
        FilesError::NotFound(_) => NotFound,
        FilesError::Outside(_) | FilesError::Denied { .. } => PermissionDenied,
        FilesError::Conflict(_) => Conflict,
        FilesError::Precondition(_) => PreconditionFailed,
        FilesError::TooLarge(_) => PayloadTooLarge,
        FilesError::Range { .. } => RangeNotSatisfiable,
        FilesError::NoSpace(_) => InsufficientStorage,
        FilesError::Exhausted { .. } => ResourceExhausted,
        FilesError::TooMany(_) => TooManyRequests,
        FilesError::Stalled(_) => RequestTimeout,
        FilesError::Unsupported(_) => UnsupportedPlatform,
        FilesError::Io { .. } => Internal,
    }
}
