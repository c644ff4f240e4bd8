//! Failures on files and configuration as problems.

use sa_config::ConfigError;
use sa_files::FilesError;
use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};

codes! {
    ConfigError {
        ConfigError::Invalid(_) => InvalidRequest,
        ConfigError::Missing(_) => NotFound,
        ConfigError::TooLarge(_) => PayloadTooLarge,
        ConfigError::TooMany(_) => TooManyRequests,
        ConfigError::Disk(error) if error.is_full() => InsufficientStorage,
        ConfigError::Disk(error) if sa_disk::is_exhausted(&error.source) => ResourceExhausted,
        ConfigError::Disk(error)
            if matches!(error.source.kind(), PermissionDenied | ReadOnlyFilesystem) => PermissionDenied,
        ConfigError::Disk(_) => Internal,
    }
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
