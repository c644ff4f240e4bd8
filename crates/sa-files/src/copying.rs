//! Copying a tree to another file system, as moving there needs it.

use crate::entry::{kind, mode};
use crate::error::{At, FilesError, Result, about};
use crate::listing::names;
use crate::root::{NameInDir, open_file};
use rustix::fs::{AtFlags, Mode, OFlags, Stat, Timespec, Timestamps};
use sa_api::FsEntryType;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Directories that may be inside each other; two descriptors are open for each.
const DEPTH: usize = 128;
/// Entries that a directory may have.
const ENTRIES: usize = 1_000_000;
/// Permissions while a directory is filled.
const FILLING: Mode = Mode::from_raw_mode(0o700);

/// Copies what is at one place to another, where nothing is: files, directories and links with their permissions and
/// times. Pipes, sockets and devices cannot be copied.
pub(crate) fn copy_tree(from: &NameInDir, to: &NameInDir, path: &Path) -> Result<()> {
    copy(from, to, path, 0)
}

fn copy(from: &NameInDir, to: &NameInDir, path: &Path, depth: usize) -> Result<()> {
    let stat = from.stat().at(path)?;
    match kind(&stat) {
        FsEntryType::File => copy_file(from, to, path),
        FsEntryType::Symlink => copy_link(from, to, &stat, path),
        FsEntryType::Directory if depth >= DEPTH => {
            let why = "directories deep, too deep to be moved to another file system";
            Err(FilesError::TooLarge(about(path, format!("lies more than {DEPTH} {why}"))))
        }
        FsEntryType::Directory => copy_directory(from, to, path, depth),
        FsEntryType::Other => {
            let why = "is a pipe, a socket or a device, which cannot be moved to another file system";
            Err(FilesError::Conflict(about(path, why)))
        }
    }
}

fn copy_file(from: &NameInDir, to: &NameInDir, path: &Path) -> Result<()> {
    let mut source = open_file(&from.dir, &from.name).at(path)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let created = rustix::fs::openat(&to.dir, &to.name, flags, Mode::from_raw_mode(0o600));
    let mut target = File::from(created.at(path)?);
    std::io::copy(&mut source, &mut target).at(path)?;
    let stat = rustix::fs::fstat(&source).at(path)?;
    rustix::fs::fchmod(&target, Mode::from_raw_mode(mode(&stat) as _)).at(path)?;
    rustix::fs::futimens(&target, &times(&stat)).at(path)?;
    target.sync_data().at(path)
}

fn copy_link(from: &NameInDir, to: &NameInDir, stat: &Stat, path: &Path) -> Result<()> {
    let target = rustix::fs::readlinkat(&from.dir, &from.name, Vec::new()).at(path)?;
    rustix::fs::symlinkat(&target, &to.dir, &to.name).at(path)?;
    rustix::fs::utimensat(&to.dir, &to.name, &times(stat), AtFlags::SYMLINK_NOFOLLOW).at(path)
}

fn copy_directory(from: &NameInDir, to: &NameInDir, path: &Path, depth: usize) -> Result<()> {
    let source = open(from, path)?;
    let stat = rustix::fs::fstat(&source).at(path)?;
    rustix::fs::mkdirat(&to.dir, &to.name, FILLING).at(path)?;
    let target = open(to, path)?;
    for name in names(&source, ENTRIES, path)? {
        let inside = path.join(&name);
        let from = NameInDir { dir: source.try_clone().at(path)?, name: name.clone() };
        let to = NameInDir { dir: target.try_clone().at(path)?, name };
        copy(&from, &to, &inside, depth + 1)?;
    }
    rustix::fs::fchmod(&target, Mode::from_raw_mode(mode(&stat) as _)).at(path)?;
    rustix::fs::futimens(&target, &times(&stat)).at(path)
}

fn open(place: &NameInDir, path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(&place.dir, &place.name, flags, Mode::empty()).at(path)
}

fn times(stat: &Stat) -> Timestamps {
    let moment = |seconds: i64, nanoseconds: i64| Timespec { tv_sec: seconds, tv_nsec: nanoseconds as _ };
    Timestamps {
        last_access: moment(stat.st_atime as _, stat.st_atime_nsec as _),
        last_modification: moment(stat.st_mtime as _, stat.st_mtime_nsec as _),
    }
}
