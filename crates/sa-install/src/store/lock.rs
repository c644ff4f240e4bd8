//! The lock on an agent's directory: one installation at a time, of whichever process.

use super::layout::AgentDirectory;
use sa_disk::{DiskError, FileLock, at, on_disk};
use std::fs;

/// The right to change an agent's directory. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: FileLock,
}

impl Lock {
    /// Waits for the lock, and removes what killed processes left. Calls `waiting` if somebody else has it.
    pub(crate) async fn take(directory: &AgentDirectory, waiting: impl Fn()) -> Result<Self, DiskError> {
        fs::create_dir_all(directory.root()).map_err(at(directory.root()))?;
        let path = directory.lock_file();
        let file = match FileLock::try_take(&path)? {
            Some(file) => file,
            None => {
                waiting();
                FileLock::take(&path).await?
            }
        };
        let versions = directory.versions.clone();
        on_disk(move || versions.clean().map(|()| Self { _file: file })).await
    }
}
