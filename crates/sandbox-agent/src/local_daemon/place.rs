//! The folder in the data directory that belongs to its daemon. It holds the token, so it is private and checked to be:
//! other users of the machine must neither read it nor lead commands to a daemon of theirs.

use sa_disk::{DiskError, FileLock};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

const PRIVATE_FOLDER: u32 = 0o700;
/// The permissions of anybody but the owner.
const OF_OTHERS: u32 = 0o077;
/// Time that a command waits for its turn. Starting and stopping are bounded by less.
const TURN_TIMEOUT: Duration = Duration::from_secs(120);

/// The folder of a data directory's daemon.
#[derive(Debug, Clone)]
pub(crate) struct DaemonFolder {
    folder: PathBuf,
}

/// The right to start or stop the daemon of a data directory, until dropped.
#[derive(Debug)]
pub(crate) struct Operation {
    _turn: FileLock,
}

/// The reason the folder cannot be used.
#[derive(Debug, Error)]
pub(crate) enum DaemonFolderError {
    #[error("cannot use {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
    #[error("{} belongs to user {}: delete it, or use another data directory (--data-dir)", .0.display(), .1)]
    Foreign(PathBuf, u32),
    #[error("other users can use {}: run chmod go-rwx on it", .0.display())]
    Shared(PathBuf),
    #[error(
        "another 'sandbox-agent daemon' command has been busy with {} for {} s; see which one with ps, then try again",
        .0.display(), TURN_TIMEOUT.as_secs()
    )]
    Busy(PathBuf),
}

impl DaemonFolder {
    pub(crate) fn of(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("daemon") }
    }

    /// The folder that `daemon serve` was started with.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn record(&self) -> PathBuf {
        self.folder.join("daemon.json")
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    pub(crate) fn token(&self) -> PathBuf {
        self.folder.join("token")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("daemon.log")
    }

    /// Returns the file that says how the daemon in the background is to be started.
    pub(crate) fn launch(&self) -> PathBuf {
        self.folder.join("launch.json")
    }

    /// Creates the folder if it is missing.
    pub(crate) fn create(&self) -> Result<(), DaemonFolderError> {
        let cannot = |error| DaemonFolderError::Io(self.folder.clone(), error);
        if let Some(data_dir) = self.folder.parent() {
            DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(data_dir).map_err(cannot)?;
        }
        match DirBuilder::new().mode(PRIVATE_FOLDER).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(cannot(error)),
            _ => {}
        }
        self.is_there().map(drop)
    }

    /// Returns false if there is no folder, and an error if it is not this user's alone.
    pub(super) fn is_there(&self) -> Result<bool, DaemonFolderError> {
        // A link could lead to a folder of this user that was made for something else.
        let found = match fs::symlink_metadata(&self.folder) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(DaemonFolderError::Io(self.folder.clone(), error)),
        };
        if !found.is_dir() {
            return Err(DaemonFolderError::Io(self.folder.clone(), io::ErrorKind::NotADirectory.into()));
        }
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(DaemonFolderError::Foreign(self.folder.clone(), found.uid()));
        }
        if found.mode() & OF_OTHERS != 0 {
            return Err(DaemonFolderError::Shared(self.folder.clone()));
        }
        Ok(true)
    }

    /// Waits until no other command starts or stops this daemon. The folder must exist.
    pub(crate) fn operate(&self) -> Result<Operation, DaemonFolderError> {
        self.is_there()?;
        let turn = FileLock::take_within(&self.folder.join("operation"), TURN_TIMEOUT)?;
        turn.map(|turn| Operation { _turn: turn }).ok_or_else(|| DaemonFolderError::Busy(self.folder.clone()))
    }
}

impl From<DiskError> for DaemonFolderError {
    fn from(error: DiskError) -> Self {
        Self::Io(error.path, error.source)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_folder_is_private_and_refused_if_it_is_not() {
        let data = tempfile::tempdir().unwrap();
        let place = DaemonFolder::of(&data.path().join("new/data"));
        assert!(!place.is_there().unwrap());
        place.create().unwrap();
        place.create().unwrap();
        assert_eq!(fs::metadata(place.folder()).unwrap().mode() & 0o777, 0o700);
        for mode in [0o770, 0o750, 0o704] {
            fs::set_permissions(place.folder(), fs::Permissions::from_mode(mode)).unwrap();
            assert!(matches!(place.create(), Err(DaemonFolderError::Shared(_))), "{mode:o}");
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let data = tempfile::tempdir().unwrap();
        let target = data.path().join("target");
        DirBuilder::new().mode(0o700).create(&target).unwrap();
        std::os::unix::fs::symlink(&target, data.path().join("daemon")).unwrap();
        assert!(matches!(DaemonFolder::of(data.path()).is_there(), Err(DaemonFolderError::Io(..))));
    }

    #[test]
    fn commands_take_turns() {
        let data = tempfile::tempdir().unwrap();
        let place = DaemonFolder::of(data.path());
        place.create().unwrap();
        let first = place.operate().unwrap();
        let other = place.clone();
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let second = std::thread::spawn(move || {
            let _turn = other.operate().unwrap();
            sender.send(()).unwrap();
        });
        assert!(receiver.recv_timeout(Duration::from_millis(100)).is_err(), "it is not its turn yet");
        drop(first);
        receiver.recv_timeout(Duration::from_secs(30)).unwrap();
        second.join().unwrap();
    }
}
