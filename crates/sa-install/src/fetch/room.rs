//! Whether there is room on the disk.

use crate::error::SourceError;
use std::io;
use std::path::Path;

/// Fails as a write would, if so many more bytes certainly do not fit beneath this directory.
pub(crate) fn check(directory: &Path, bytes: u64) -> Result<(), SourceError> {
    // A file system that does not tell will have to say so when it is full.
    let Ok(stat) = rustix::fs::statvfs(directory) else { return Ok(()) };
    if stat.f_bavail.saturating_mul(stat.f_frsize) >= bytes {
        return Ok(());
    }
    let error = io::Error::new(io::ErrorKind::StorageFull, "not enough space left");
    Err(SourceError::Disk { path: directory.to_owned(), error })
}

/// Whether it says that there is no room: the disk, the user's share of it, or what the process may write.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
