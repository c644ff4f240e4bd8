//! Locks that processes and tasks share.

use crate::SkillsError;
use crate::error::Result;
use sa_disk::{FileLock, at};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;

/// Waits for a lock, but not forever. Its directory is made if it is missing.
pub(crate) async fn lock(path: &Path, wait: Duration) -> Result<FileLock> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(at(directory))?;
    }
    let taken = timeout(wait, FileLock::take(path)).await;
    Ok(taken.map_err(|_| SkillsError::Busy { path: path.to_owned() })??)
}
