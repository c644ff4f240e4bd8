//! Removing whole trees, however deep, while others may still write to them. No link is followed.

use crate::atomic::directory_of;
use crate::error::{DiskError, at};
use crate::unnamed::temporary_name;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Flags to hold a directory without reading it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub const HOLD: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Flags to hold a directory; this system wants to read it for that.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub const HOLD: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Directories that are held open at once while a tree is removed. Deeper ones are moved up first.
const DEPTH: usize = 64;
/// The number of times a directory is emptied again because others put something in.
const ROUNDS: usize = 16;
/// The most times that deep directories are moved up: others may make a tree deeper while it is removed.
const DEEP_ROUNDS: usize = 100_000;
/// Names that are read at once. A directory may have more of them than fit into memory.
const BATCH: usize = 10_000;

/// Removes a file, a link, or a directory with all that is in it. Succeeds if nothing is there.
pub fn remove_all(path: &Path) -> Result<(), DiskError> {
    let name = path.file_name().ok_or_else(|| at(path)(io::ErrorKind::InvalidInput))?;
    let dir = rustix::fs::openat(CWD, directory_of(path), HOLD, Mode::empty()).map_err(at(path));
    match dir.and_then(|dir| remove_tree(&dir, name, path)) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes the entry of a directory, with all that is in it. `path` is for errors.
pub fn remove_tree(dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<(), DiskError> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        other => return other.map_err(at(path)),
    }
    let (mut rounds, mut deep_rounds) = (0, 0);
    while rounds < ROUNDS && deep_rounds < DEEP_ROUNDS {
        let held = hold(dir, name).map_err(|errno| if errno == Errno::NOTDIR { Errno::PERM } else { errno });
        let tree = held.map_err(at(path))?;
        let moved = empty(&tree, &tree, 0, path)?;
        // Directories that were moved up are the next round's; only others make a round vain.
        rounds += usize::from(!moved);
        deep_rounds += usize::from(moved);
        match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            other => return other.map_err(at(path)),
        }
    }
    let filled = "being filled while it is removed";
    Err(at(path)(io::Error::new(io::ErrorKind::DirectoryNotEmpty, filled)))
}

/// Reads at most so many of the names in a directory.
pub fn first_names(dir: &OwnedFd, most: usize) -> Result<Vec<OsString>, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = rustix::fs::openat(dir, ".", flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::new(readable)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        if names.len() >= most {
            break;
        }
        names.push(OsStr::from_bytes(name).to_owned());
    }
    Ok(names)
}

/// Opens a directory by its name in another, without following a link, to name what is in it.
pub fn hold(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(dir, name, HOLD | OFlags::NOFOLLOW, Mode::empty())
}

/// Removes the entries of a directory. Directories that are too deep are moved up to `top`, whose next round finds them.
/// Returns whether there were any.
fn empty(dir: &OwnedFd, top: &OwnedFd, depth: usize, path: &Path) -> Result<bool, DiskError> {
    let mut moved = false;
    loop {
        let names = first_names(dir, BATCH).map_err(at(path))?;
        let is_all = names.len() < BATCH;
        let mut is_vain = true;
        for name in names {
            let done = empty_entry(dir, &name, top, depth, &path.join(&name))?;
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
) -> Result<Removed, DiskError> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(Removed::Yes),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(errno) => return Err(at(path)(errno)),
    }
    if depth >= DEPTH {
        rustix::fs::renameat(dir, name, top, temporary_name()).map_err(at(path))?;
        return Ok(Removed::Elsewhere);
    }
    let moved = match hold(dir, name) {
        Ok(child) => empty(&child, top, depth + 1, path)?,
        Err(Errno::NOENT) => return Ok(Removed::Yes),
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(at(path)(Errno::PERM)),
        Err(errno) => return Err(at(path)(errno)),
    };
    match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) if moved => Ok(Removed::Elsewhere),
        Ok(()) | Err(Errno::NOENT) => Ok(Removed::Yes),
        Err(Errno::NOTEMPTY | Errno::EXIST) if moved => Ok(Removed::Elsewhere),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(Removed::NotYet),
        Err(errno) => Err(at(path)(errno)),
    }
}
