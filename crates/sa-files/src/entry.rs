//! The metadata of a file.

use crate::descent::identity;
use crate::moment::Moment;
use crate::percent::percent_encoded;
use rustix::fs::{FileType, Stat};
use sa_api::FsEntryType;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A file, directory or link, and what the file system says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The absolute path, or the one beneath the root.
    pub path: PathBuf,
    /// The kind of the file.
    pub kind: FsEntryType,
    /// The size in bytes; of a link the length of its target.
    pub size: u64,
    /// The time of the last change of its contents.
    pub modified: Moment,
    /// Permissions, the lowest twelve bits.
    pub mode: u32,
    pub target: Option<OsString>,
    pub version: Version,
}

/// The version of a file. It changes when the file is written, replaced or changes its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    device: u64,
    inode: u64,
    size: u64,
    modified: Moment,
    changed: Moment,
}

impl Version {
    pub(crate) fn of(stat: &Stat) -> Self {
        let (device, inode) = identity(stat);
        Self {
            device,
            inode,
            size: size(stat),
            modified: moment(stat.st_mtime, stat.st_mtime_nsec),
            changed: moment(stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// Returns the version as an entity tag, with its quotes.
    pub fn tag(&self) -> String {
        format!(
            "\"{:x}-{:x}-{:x}-{:x}.{:x}-{:x}.{:x}\"",
            self.device,
            self.inode,
            self.size,
            self.modified.seconds,
            self.modified.nanoseconds,
            self.changed.seconds,
            self.changed.nanoseconds
        )
    }
}

impl Entry {
    pub(crate) fn new(path: PathBuf, stat: &Stat, target: Option<OsString>) -> Self {
        Self {
            path,
            kind: kind(stat),
            size: size(stat),
            modified: moment(stat.st_mtime, stat.st_mtime_nsec),
            mode: mode(stat),
            target,
            version: Version::of(stat),
        }
    }

    /// Returns the last name of the path; empty for the root.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Returns a path as text for a query, percent-encoded, where it is no Unicode and JSON cannot carry it.
pub fn encoded(path: &Path) -> Option<String> {
    path.to_str().is_none().then(|| percent_encoded(path.as_os_str().as_bytes()))
}

pub(crate) fn kind(stat: &Stat) -> FsEntryType {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FsEntryType::File,
        FileType::Directory => FsEntryType::Directory,
        FileType::Symlink => FsEntryType::Symlink,
        _ => FsEntryType::Other,
    }
}

pub(crate) fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}

pub(crate) fn mode(stat: &Stat) -> u32 {
    #[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
    let mode = u32::from(stat.st_mode);
    mode & 0o7777
}

/// Returns the types of the fields differ between systems.
fn moment(seconds: impl TryInto<i64>, nanoseconds: impl TryInto<u32>) -> Moment {
    Moment {
        seconds: seconds.try_into().unwrap_or_default(),
        nanoseconds: nanoseconds.try_into().unwrap_or_default(),
    }
}
