//! Removing files and whole directories, and making directories.

use crate::error::{At, Result};
use crate::files::{Files, Located, Shared};
use crate::root::{HOLD, Last};
use crate::writing::DIRECTORY;
use rustix::fs::AtFlags;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// A directory that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    pub path: PathBuf,
    /// False if it existed.
    pub is_new: bool,
}

/// The extent of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// A file or an empty directory.
    Entry,
    /// Also everything in a directory.
    Tree,
}

impl Files {
    /// Removes what is at a path; a link itself.
    pub async fn remove(&self, path: &OsStr, removal: Removal) -> Result<PathBuf> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            remove(shared, &located, removal)?;
            Ok(located.absolute)
        })
        .await
    }

    /// Makes a directory and those above it. One that exists is fine.
    pub async fn make_dir(&self, path: &OsStr) -> Result<Directory> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            let is_new = shared.root.open_at(&located.beneath, HOLD).is_err_and(|fault| fault.is_missing());
            // Looked up without the lock: a file system that hangs must not stop other requests.
            let _names = shared.lock_names();
            let (_, made) = shared.root.make_dirs(&located.beneath, DIRECTORY).at(&located.absolute)?;
            made.keep();
            Ok(Directory { path: located.absolute, is_new })
        })
        .await
    }
}

fn remove(shared: &Shared, located: &Located, removal: Removal) -> Result<()> {
    let path = &located.absolute;
    let place = shared.root.place(&located.beneath, Last::Keep).at(path)?;
    shared.refuse_footing(&place, located)?;
    if removal == Removal::Tree {
        return remove_tree(&place.dir, &place.name, path);
    }
    match rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {
            let removed = rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR);
            // It is a file after all, which the system does not let us remove.
            removed.map_err(|errno| if errno == Errno::NOTDIR { Errno::PERM } else { errno }).at(path)
        }
        other => other.at(path),
    }
}

/// Removes the entry of a directory, with all that is in it. Follows no link.
pub(crate) fn remove_tree(dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<()> {
    Ok(sa_disk::remove_tree(dir, name, path)?)
}
