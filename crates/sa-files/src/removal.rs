//! Removing files and whole directories, and making directories.

use crate::draft::unused_name;
use crate::error::{At, Fault, FilesError};
use crate::files::{Files, Located, Shared};
use crate::listing::names;
use crate::root::{HOLD, Last};
use crate::writing::DIRECTORY;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Directories that are held open at once while a tree is removed. What lies deeper is moved up first.
const DEPTH: usize = 64;
/// How often a directory is emptied again because others put something in.
const ROUNDS: usize = 16;

impl Files {
    /// Removes what is at a path; a link itself. A directory that is not empty only with `recursive`.
    pub async fn remove(&self, path: &OsStr, recursive: bool) -> Result<PathBuf, FilesError> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            remove(shared, &located, recursive)?;
            Ok(located.absolute)
        })
        .await
    }

    /// Makes a directory and those above it. One that exists is fine.
    pub async fn make_dir(&self, path: &OsStr) -> Result<PathBuf, FilesError> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            shared.root.make_dirs(&located.beneath, DIRECTORY).at(&located.absolute)?;
            Ok(located.absolute)
        })
        .await
    }
}

fn remove(shared: &Shared, located: &Located, recursive: bool) -> Result<(), FilesError> {
    let path = &located.absolute;
    let place = shared.root.place(&located.beneath, Last::Keep).at(path)?;
    shared.refuse_footing(&place, located)?;
    if recursive {
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

/// Removes what has a name in a directory, with all that is in it, and follows no link.
pub(crate) fn remove_tree(dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<(), FilesError> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        other => return other.at(path),
    }
    let mut rounds = 0;
    while rounds < ROUNDS {
        let tree = match hold(dir, name) {
            Err(Errno::NOTDIR) => return Err(Fault::from(Errno::PERM).at(path)),
            other => other.at(path)?,
        };
        let moved = empty(&tree, &tree, 0, path)?;
        // What was moved up from below is the next round's; only others make a round vain.
        rounds += usize::from(!moved);
        match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            other => return other.at(path),
        }
    }
    Err(FilesError::Conflict(format!("'{}' is being filled while it is removed", path.to_string_lossy())))
}

fn hold(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(dir, name, HOLD | OFlags::NOFOLLOW, Mode::empty())
}

/// Removes what is in a directory. Directories below the depth that may be held open go up to `top`, whose next round
/// finds them; whether there are such is returned.
fn empty(dir: &OwnedFd, top: &OwnedFd, depth: usize, path: &Path) -> Result<bool, FilesError> {
    let mut moved = false;
    for name in names(dir, usize::MAX, path)? {
        let inside = path.join(&name);
        match rustix::fs::unlinkat(dir, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(Fault::from(errno).at(&inside)),
        }
        if depth >= DEPTH {
            rustix::fs::renameat(dir, &name, top, unused_name()).at(&inside)?;
            moved = true;
            continue;
        }
        match hold(dir, &name) {
            Ok(child) => moved |= empty(&child, top, depth + 1, &inside)?,
            Err(Errno::NOENT) => continue,
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(Fault::from(Errno::PERM).at(&inside)),
            Err(errno) => return Err(Fault::from(errno).at(&inside)),
        }
        match rustix::fs::unlinkat(dir, &name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => {}
            // Filled meanwhile; the next round sees to it.
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            Err(errno) => return Err(Fault::from(errno).at(&inside)),
        }
    }
    Ok(moved)
}
