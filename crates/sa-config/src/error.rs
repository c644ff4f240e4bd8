//! Why configuration cannot be read or kept.

use sa_disk::DiskError;
use thiserror::Error;

/// The reason why an operation on a directory's configuration failed.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A name or an entry is wrong.
    #[error("{0}")]
    Invalid(String),
    /// There is no such entry.
    #[error("{0}")]
    Missing(String),
    /// The entries of the directory would take too many bytes.
    #[error("{0}")]
    TooLarge(String),
    /// The directory has as many entries as it may have.
    #[error("{0}")]
    TooMany(String),
    /// The system refuses, or the file makes no sense.
    #[error(transparent)]
    Disk(#[from] DiskError),
}
