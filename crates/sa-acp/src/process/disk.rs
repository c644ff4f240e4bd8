//! The file system, as far as a state machine may look at it.

use std::fmt;
use std::fs;
use std::path::Path;

/// The largest file of which a change is shown in its whole, in bytes.
const SHOWN: u64 = 1 << 20;

/// The files that a machine needs to know of, and must not touch itself.
pub trait Disk: fmt::Debug + Send {
    /// Returns whether there is a directory at that path.
    fn is_directory(&self, path: &Path) -> bool;

    /// Returns what a file holds, if it is text and not too long to be shown.
    fn read(&self, path: &Path) -> Option<String>;
}

/// The one of this machine.
#[derive(Debug)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Option<String> {
        let about = fs::metadata(path).ok()?;
        // Neither pipes nor devices: reading them may never end.
        if !about.is_file() || about.len() > SHOWN {
            return None;
        }
        fs::read_to_string(path).ok()
    }
}

/// One that nothing is known of.
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
