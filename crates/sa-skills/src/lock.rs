//! A lock that processes and tasks share. A kill frees it.

use crate::SkillsError;
use crate::error::at;
use crate::limits::LOCK_PAUSE;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The right to change something. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for it, but not for ever. Asks again and again instead of sleeping in the kernel, so that whoever gives up
    /// leaves no thread behind.
    pub(crate) async fn take(path: &Path, wait: Duration) -> Result<Self, SkillsError> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(at(directory))?;
        }
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(at(path))?;
        let deadline = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(LOCK_PAUSE).await,
                Err(TryLockError::WouldBlock) => return Err(SkillsError::Busy { path: path.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(at(path)(error)),
            }
        }
    }
}
