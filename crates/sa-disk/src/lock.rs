//! Locks that processes and tasks share. The end of a process, however it comes, releases its locks.

use crate::error::{DiskError, at};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The pause between two attempts on a lock that somebody else holds.
const POLL: Duration = Duration::from_millis(20);

/// An exclusive lock, by a file that exists for it alone. Dropping it releases it.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock unless somebody else holds it. The file is created if it is missing.
    pub fn try_take(path: &Path) -> Result<Option<Self>, DiskError> {
        let file = open(path)?;
        Ok(attempt(&file, path)?.then_some(Self { _file: file }))
    }

    /// Waits for the lock on this thread, at most so long.
    pub fn take_within(path: &Path, limit: Duration) -> Result<Option<Self>, DiskError> {
        let file = open(path)?;
        let began = Instant::now();
        while !attempt(&file, path)? {
            if began.elapsed() > limit {
                return Ok(None);
            }
            thread::sleep(POLL);
        }
        Ok(Some(Self { _file: file }))
    }

    /// Waits for the lock on this thread.
    pub fn take_blocking(path: &Path) -> Result<Self, DiskError> {
        let file = open(path)?;
        file.lock().map_err(at(path))?;
        Ok(Self { _file: file })
    }

    /// Waits for the lock. It asks repeatedly instead of blocking a thread, which a caller that gives up would leave behind.
    pub async fn take(path: &Path) -> Result<Self, DiskError> {
        let file = open(path)?;
        while !attempt(&file, path)? {
            tokio::time::sleep(POLL).await;
        }
        Ok(Self { _file: file })
    }

    /// Returns whether the lock is held. Anyone who takes it at this moment has to try again.
    pub fn is_held(path: &Path) -> Result<bool, DiskError> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            other => other.map_err(at(path))?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(at(path)(error)),
        }
    }
}

fn open(path: &Path) -> Result<File, DiskError> {
    let opened = File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    opened.map_err(at(path))
}

fn attempt(file: &File, path: &Path) -> Result<bool, DiskError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(at(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn one_at_a_time_has_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert!(!FileLock::is_held(&path).unwrap());
        let first = FileLock::take(&path).await.unwrap();
        assert!(FileLock::is_held(&path).unwrap());
        assert!(FileLock::try_take(&path).unwrap().is_none());
        assert!(FileLock::take_within(&path, Duration::from_millis(1)).unwrap().is_none());
        let (taken, ()) = tokio::join!(FileLock::take(&path), async {
            tokio::task::yield_now().await;
            drop(first);
        });
        drop(taken.unwrap());
        assert!(!FileLock::is_held(&path).unwrap());
        drop(FileLock::take_blocking(&path).unwrap());
        assert!(FileLock::try_take(&path).unwrap().is_some());
    }
}
