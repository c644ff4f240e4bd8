//! Checks that there is room on the disk.

use crate::error::Result;
use sa_disk::at;
use std::io;
use std::path::Path;

/// Fails as a write would, if so many more bytes certainly do not fit beneath this directory.
pub(crate) fn check(directory: &Path, bytes: u64) -> Result<()> {
    // A file system that does not report its free space fails when it is full.
    let Ok(stat) = rustix::fs::statvfs(directory) else { return Ok(()) };
    if stat.f_bavail.saturating_mul(stat.f_frsize) >= bytes {
        return Ok(());
    }
    let error = io::Error::new(io::ErrorKind::StorageFull, "not enough space left");
    Err(at(directory)(error).into())
}
