//! The directory that all paths are resolved beneath, and the quick way down: one `openat2` where the kernel has it.
//! Everything else goes step by step (`descent.rs`). Both give a descriptor, so that what was checked is what is used.

use crate::descent::Descent;
use crate::error::Fault;
use crate::made::Made;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
pub(crate) use sa_disk::HOLD;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

/// The most attempts on a path that others change meanwhile.
const TRIES: usize = 16;

/// A directory, and whether paths may leave it.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) dir: OwnedFd,
    /// The root's path: absolute links that lead back beneath it may be followed. Without it none may.
    pub(crate) path: Option<PathBuf>,
    /// Set if paths must stay beneath. Otherwise this is the system's own root.
    pub(crate) confined: bool,
    /// The kernel cannot resolve paths beneath a directory, or is not to.
    pub(crate) by_steps: bool,
}

/// The end of a path: a name in a directory. The name is `.` where the path names the directory itself.
#[derive(Debug)]
pub(crate) struct NameInDir {
    pub(crate) dir: OwnedFd,
    pub(crate) name: OsString,
}

impl NameInDir {
    /// Returns whether this is a directory that was reached without a name, so that it cannot be removed or replaced.
    pub(crate) fn is_nameless(&self) -> bool {
        self.name == "."
    }

    /// Returns the metadata; a link is not followed.
    pub(crate) fn stat(&self) -> Result<rustix::fs::Stat, Errno> {
        rustix::fs::statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW)
    }
}

/// Opens what was a regular file a moment ago. If it was replaced, a link is refused, and a pipe does not block.
pub(crate) fn open_file(dir: &OwnedFd, name: &OsStr) -> Result<File, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty()).map(File::from)
}

/// The treatment of a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// The link itself is meant.
    Keep,
    /// The target of the link is meant.
    Follow,
}

impl Root {
    /// Returns the directory at `path`.
    pub(crate) fn open(path: &Path, confined: bool) -> Result<Self, Errno> {
        let dir = rustix::fs::openat(CWD, path, HOLD, Mode::empty())?;
        let by_steps = !can_resolve_beneath(&dir);
        Ok(Self { dir, path: Some(path.to_owned()), confined, by_steps })
    }

    /// Creates a directory as the root of an operation that must stay beneath it.
    pub(crate) fn beneath(&self, dir: OwnedFd) -> Self {
        Self { dir, path: None, confined: true, by_steps: self.by_steps }
    }

    /// Opens what is at a path, through links.
    pub(crate) fn open_at(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Fault> {
        if !self.by_steps {
            match self.open_quickly(path, flags) {
                Ok(fd) => return Ok(fd),
                Err(errno) if !must_descend(errno) => return Err(errno.into()),
                Err(_) => {}
            }
        }
        for _ in 0..TRIES {
            let place = Descent::new(self)?.place(path, Last::Follow)?;
            match rustix::fs::openat(
                &place.dir,
                &place.name,
                flags | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                Mode::empty(),
            ) {
                // It was no link a moment ago; look where it leads now.
                Err(Errno::LOOP) => {}
                Err(errno) => return Err(errno.into()),
                Ok(fd) => return Ok(fd),
            }
        }
        Err(Errno::LOOP.into())
    }

    /// Finds the directory and the name that a path ends at.
    pub(crate) fn place(&self, path: &Path, last: Last) -> Result<NameInDir, Fault> {
        let (parent, name) = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => (parent, name),
            // Empty, or ends with `..`: the directory itself.
            _ => (path, OsStr::new(".")),
        };
        let place = NameInDir { dir: self.open_at(parent, HOLD)?, name: name.to_owned() };
        if last == Last::Keep || !is_link(&place) {
            return Ok(place);
        }
        Descent::new(self)?.place(path, last)
    }

    /// Opens a directory, and makes it and those above it where they are missing.
    pub(crate) fn make_dirs(&self, path: &Path, mode: Mode) -> Result<(OwnedFd, Made), Fault> {
        match self.open_at(path, HOLD) {
            Err(fault) if fault.is_missing() => {}
            other => return Ok((other?, Made::default())),
        }
        let mut descent = Descent::new(self)?.making(mode);
        Ok((descent.directory(path)?, descent.into_made()))
    }

    /// Finds a place, and makes the directories above it where they are missing.
    pub(crate) fn place_making_parents(
        &self,
        path: &Path,
        last: Last,
        mode: Mode,
    ) -> Result<(NameInDir, Made), Fault> {
        match self.place(path, last) {
            Err(fault) if fault.is_missing() => {}
            other => return Ok((other?, Made::default())),
        }
        let mut descent = Descent::new(self)?.making(mode);
        Ok((descent.place(path, last)?, descent.into_made()))
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn open_quickly(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        let resolve = if self.confined {
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS
        } else {
            ResolveFlags::empty()
        };
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let mut tries = 0;
        loop {
            match rustix::fs::openat2(&self.dir, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
                // Something was renamed on the way, so the kernel cannot vouch for it.
                Err(Errno::AGAIN) if tries < TRIES => tries += 1,
                other => return other,
            }
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn open_quickly(&self, _: &Path, _: OFlags) -> Result<OwnedFd, Errno> {
        Err(Errno::NOSYS)
    }
}

/// Returns whether the kernel has `openat2` and no filter of system calls forbids it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn can_resolve_beneath(dir: &OwnedFd) -> bool {
    rustix::fs::openat2(dir, ".", HOLD, Mode::empty(), rustix::fs::ResolveFlags::BENEATH).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn can_resolve_beneath(_: &OwnedFd) -> bool {
    false
}

/// Returns whether the quick way cannot decide: too much changed meanwhile, or a link is absolute and may still lead
/// back.
fn must_descend(errno: Errno) -> bool {
    matches!(errno, Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::XDEV)
}

fn is_link(place: &NameInDir) -> bool {
    place.stat().is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Returns an absolute path without `.`, doubled or trailing slashes. `..` stays: only the disk knows what is above a
/// link.
pub(crate) fn absolute(base: &Path, given: &OsStr) -> PathBuf {
    base.join(given).components().filter(|part| *part != Component::CurDir).collect()
}
