//! The directories that everything else stands on: the workspace and those above it. They stay, whichever path a
//! request names them by.

use crate::descent::identity;
use crate::entry::kind;
use crate::error::{At, FilesError, Result, about};
use crate::files::{Located, Shared};
use crate::root::{HOLD, NameInDir};
use rustix::fs::{Mode, fstat, openat};
use rustix::io::Errno;
use sa_api::FsEntryType;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;

impl Shared {
    /// Refuses to remove, move or replace the workspace, what is above it, and directories that were not reached by a
    /// name. A link to one of them is not refused: only the link goes.
    pub(crate) fn refuse_footing(&self, place: &NameInDir, located: &Located) -> Result<()> {
        if place.is_nameless() || self.is_footing(place, located)? {
            let why = "holds the workspace, or has no name here, and stays";
            return Err(FilesError::Invalid(about(&located.absolute, why)));
        }
        Ok(())
    }

    fn is_footing(&self, place: &NameInDir, located: &Located) -> Result<bool> {
        let workspace = self.locate(OsStr::new("."))?;
        // The names on the way to the workspace stay, even if others have replaced what they name.
        if workspace.absolute.starts_with(&located.absolute) {
            return Ok(true);
        }
        let directory = match place.stat() {
            Ok(stat) if kind(&stat) == FsEntryType::Directory => identity(&stat),
            _ => return Ok(false),
        };
        match self.lowest_footing(&workspace)? {
            Some(lowest) => is_at_or_above(lowest, directory).at(&located.absolute),
            None => Ok(false),
        }
    }

    /// Opens the workspace; if it is gone or cannot be reached, the next directory above it that can.
    fn lowest_footing(&self, workspace: &Located) -> Result<Option<OwnedFd>> {
        for path in workspace.beneath.ancestors() {
            match self.root.open_at(path, HOLD).at(&workspace.absolute) {
                Ok(dir) => return Ok(Some(dir)),
                // A shortage must not make the workspace look absent.
                Err(error @ FilesError::Exhausted { .. }) => return Err(error),
                Err(_) => {}
            }
        }
        Ok(None)
    }
}

/// Returns whether `sought` is this directory or one above it. Paths do not decide that: links, `..` and mounts give a
/// directory many of them.
fn is_at_or_above(mut dir: OwnedFd, sought: (u64, u64)) -> Result<bool, Errno> {
    let mut here = identity(&fstat(&dir)?);
    while here != sought {
        dir = match openat(&dir, "..", HOLD, Mode::empty()) {
            // Nobody without access to a directory can remove the ones above it.
            Err(Errno::ACCESS) => return Ok(false),
            above => above?,
        };
        let above = identity(&fstat(&dir)?);
        if above == here {
            return Ok(false);
        }
        here = above;
    }
    Ok(true)
}
