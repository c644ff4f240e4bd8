//! Moves unpacked files to their target. Conflicts with existing files are found before anything is moved.

use crate::entry::kind;
use crate::error::{At, Fault, FilesError, Result, about};
use crate::listing::names;
use crate::root::{HOLD, Root};
use rustix::fs::AtFlags;
use rustix::io::Errno;
use sa_api::FsEntryType;
use sa_disk::hold;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Directories that may be inside each other. An archive's are fewer, but others may put some where it is unpacked.
const DEPTH: usize = 256;
/// Entries that a directory may have; an archive has fewer.
const ENTRIES: usize = 1_000_000;

/// The action for each name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Check,
    Move,
}

/// One unpacked archive on its way into its target.
pub(super) struct Merge<'a> {
    /// The target, which links in it must not leave.
    pub(super) target: &'a Root,
    /// The target's path, for messages.
    pub(super) path: &'a Path,
    pub(super) pass: Pass,
}

impl Merge<'_> {
    /// Merges one directory; `beneath` is its path in the target.
    pub(super) fn directory(&self, from: &OwnedFd, to: &OwnedFd, beneath: &Path) -> Result<()> {
        if beneath.components().count() > DEPTH {
            return Err(FilesError::Conflict(about(&self.path.join(beneath), "lies too deep to be merged")));
        }
        for name in names(from, ENTRIES, self.path)? {
            self.entry(from, to, &name, &beneath.join(&name))?;
        }
        Ok(())
    }

    fn entry(&self, from: &OwnedFd, to: &OwnedFd, name: &OsStr, beneath: &Path) -> Result<()> {
        let path = self.path.join(beneath);
        let look =
            |dir: &OwnedFd| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| kind(&stat));
        let new = look(from).at(&path)?;
        let present = match look(to) {
            Ok(kind) => Some(kind),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(Fault::from(errno).at(&path)),
        };
        match (new, present) {
            (_, None) => self.rename(from, to, name, &path),
            (FsEntryType::Directory, Some(FsEntryType::Directory)) => {
                self.descend(from, name, &hold(to, name).at(&path)?, beneath)
            }
            // A link to a directory that is in the target as well stands for that directory.
            (FsEntryType::Directory, Some(FsEntryType::Symlink)) => {
                let target = self.target.open_at(beneath, HOLD).at(&path)?;
                self.descend(from, name, &target, beneath)
            }
            (FsEntryType::Directory, Some(_)) => {
                Err(FilesError::Conflict(about(&path, "is no directory, but the archive has one")))
            }
            (_, Some(FsEntryType::Directory)) => {
                Err(FilesError::Conflict(about(&path, "is a directory, but not in the archive")))
            }
            (_, Some(_)) => self.rename(from, to, name, &path),
        }
    }

    fn descend(&self, from: &OwnedFd, name: &OsStr, to: &OwnedFd, beneath: &Path) -> Result<()> {
        let path = self.path.join(beneath);
        let from = hold(from, name).at(&path)?;
        self.directory(&from, to, beneath)
    }

    fn rename(&self, from: &OwnedFd, to: &OwnedFd, name: &OsStr, path: &Path) -> Result<()> {
        match self.pass {
            Pass::Check => Ok(()),
            Pass::Move => rustix::fs::renameat(from, name, to, name).at(path),
        }
    }
}
