//! Removing files and whole directories, and making directories.

use crate::draft::unused_name;
use crate::error::{At, Fault, FilesError};
use crate::files::{Files, Located, Shared};
use crate::listing::first_names;
use crate::root::{HOLD, Last};
use crate::writing::DIRECTORY;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Directories that are held open at once while a tree is removed. What lies deeper is moved up first.
const DEPTH: usize = 64;
/// How often a directory is emptied again because others put something in.
const ROUNDS: usize = 16;
/// How often what lies too deep is moved up, at most: others may make a tree deeper while it is removed.
const DEEP_ROUNDS: usize = 100_000;
/// Names that are read at once. A directory may have more of them than fit into memory.
const BATCH: usize = 10_000;

/// Removes a file, a link, or a directory with all that is in it, however deep. Follows no link; fails if nothing is there.
pub fn remove_all(path: &Path) -> Result<(), FilesError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(FilesError::Invalid(format!("'{}' has no name", path.to_string_lossy())));
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let dir = rustix::fs::openat(CWD, parent, HOLD, Mode::empty()).at(path)?;
    remove_tree(&dir, name, path)
}

/// A directory that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Absolute path.
    pub path: PathBuf,
    /// False if it existed.
    pub is_new: bool,
}

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
    pub async fn make_dir(&self, path: &OsStr) -> Result<Directory, FilesError> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            let is_new = shared.root.open_at(&located.beneath, HOLD).is_err_and(|fault| fault.is_missing());
            shared.root.make_dirs(&located.beneath, DIRECTORY).at(&located.absolute)?;
            Ok(Directory { path: located.absolute, is_new })
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
    let (mut rounds, mut deep_rounds) = (0, 0);
    while rounds < ROUNDS && deep_rounds < DEEP_ROUNDS {
        let tree = match hold(dir, name) {
            Err(Errno::NOTDIR) => return Err(Fault::from(Errno::PERM).at(path)),
            other => other.at(path)?,
        };
        let moved = empty(&tree, &tree, 0, path)?;
        // What was moved up from below is the next round's; only others make a round vain.
        rounds += usize::from(!moved);
        deep_rounds += usize::from(moved);
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
    loop {
        let names = first_names(dir, BATCH, path)?;
        let is_all = names.len() < BATCH;
        let mut is_vain = true;
        for name in names {
            let inside = path.join(&name);
            let done = empty_entry(dir, &name, top, depth, &inside)?;
            moved |= done == Removed::Elsewhere;
            is_vain &= done == Removed::NotYet;
        }
        // The next round sees to directories that were filled meanwhile.
        if is_all || is_vain || moved {
            return Ok(moved);
        }
    }
}

/// Outcome of removing an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removed {
    Yes,
    /// The directory, or something below it, was moved up.
    Elsewhere,
    /// Others put something in.
    NotYet,
}

fn empty_entry(
    dir: &OwnedFd,
    name: &OsStr,
    top: &OwnedFd,
    depth: usize,
    path: &Path,
) -> Result<Removed, FilesError> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(Removed::Yes),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(errno) => return Err(Fault::from(errno).at(path)),
    }
    if depth >= DEPTH {
        rustix::fs::renameat(dir, name, top, unused_name()).at(path)?;
        return Ok(Removed::Elsewhere);
    }
    let moved = match hold(dir, name) {
        Ok(child) => empty(&child, top, depth + 1, path)?,
        Err(Errno::NOENT) => return Ok(Removed::Yes),
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(Fault::from(Errno::PERM).at(path)),
        Err(errno) => return Err(Fault::from(errno).at(path)),
    };
    match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) if moved => Ok(Removed::Elsewhere),
        Ok(()) | Err(Errno::NOENT) => Ok(Removed::Yes),
        Err(Errno::NOTEMPTY | Errno::EXIST) if moved => Ok(Removed::Elsewhere),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(Removed::NotYet),
        Err(errno) => Err(Fault::from(errno).at(path)),
    }
}
