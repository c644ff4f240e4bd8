//! A failure of the disk, and where.

use std::io;
use std::path::PathBuf;

/// An error of the system about a file or directory.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct DiskError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl DiskError {
    /// Returns whether there is no room left: on the disk, in the user's quota, or below the size limit of the process.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self.source.kind(), StorageFull | QuotaExceeded | FileTooLarge)
    }
}

/// Returns whether the system has no descriptor, thread, process or memory to spare. The same call may succeed a moment
/// later.
pub fn is_exhausted(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM | Errno::NOBUFS)
    )
}

/// Adds the path to an error of the system, or to what becomes one, for `map_err`.
pub fn at<E: Into<io::Error>>(path: impl Into<PathBuf>) -> impl FnOnce(E) -> DiskError {
    let path = path.into();
    move |source| DiskError { path, source: source.into() }
}
