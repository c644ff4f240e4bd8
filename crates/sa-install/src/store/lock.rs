//! The lock on an agent's directory: held by one installation at a time, of whichever process, and freed by its end however
//! it comes.

use super::disk::{DiskError, at};
use super::layout::{AgentDirectory, LINK, OLD, STAGING};
use crate::limits::LOCK_PAUSE;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;

/// The right to change an agent's directory. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for it; `waiting` is told once if somebody else has it. What killed processes have left is gone then.
    ///
    /// It asks again and again instead of sleeping in the kernel, so that whoever gives up leaves no thread behind.
    pub(crate) async fn take(directory: &AgentDirectory, waiting: impl Fn()) -> Result<Self, DiskError> {
        let path = directory.lock_file();
        fs::create_dir_all(directory.root()).map_err(at(directory.root()))?;
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(at(&path))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if told => {}
                Err(TryLockError::WouldBlock) => {
                    told = true;
                    waiting();
                }
                Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
            }
            tokio::time::sleep(LOCK_PAUSE).await;
        }
        let lock = Self { _file: file };
        let root = directory.root().to_owned();
        let cleaning = tokio::task::spawn_blocking(move || clean(&root).map(|()| lock));
        cleaning.await.unwrap_or_else(|error| Err(at(directory.root())(error.into())))
    }
}

fn clean(root: &Path) -> Result<(), DiskError> {
    for entry in fs::read_dir(root).map_err(at(root))? {
        let entry = entry.map_err(at(root))?;
        let name = entry.file_name();
        let begins = |prefix: &&str| name.as_encoded_bytes().starts_with(prefix.as_bytes());
        if [STAGING, OLD, LINK].iter().any(begins) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a file, a link or a directory with all that is in it.
pub(super) fn remove(path: &Path) -> Result<(), DiskError> {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|is| is.is_dir());
    let removed = if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(at(path)),
    }
}
