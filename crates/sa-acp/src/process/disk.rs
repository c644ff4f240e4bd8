//! The file system, as far as a state machine may look at it.

use sa_disk::read_plain_text;
use std::fmt;
use std::path::Path;

/// The largest file of which a change is shown in its whole, in bytes.
const SHOWN: u64 = 1 << 20;

/// The files that a machine needs to know of, and must not touch itself.
pub trait Disk: fmt::Debug + Send {
    fn is_directory(&self, path: &Path) -> bool;

    /// Returns what a file holds, if it is text and not too long to be shown.
    fn read(&self, path: &Path) -> Option<String>;
}

/// The disk of this machine.
#[derive(Debug)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Option<String> {
        read_plain_text(path, SHOWN).ok()
    }
}

/// A disk without files.
#[derive(Debug)]
pub struct NoDisk;

impl Disk for NoDisk {
    fn is_directory(&self, _: &Path) -> bool {
        false
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }
}
