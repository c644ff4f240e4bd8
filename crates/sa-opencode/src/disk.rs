//! The file system, as far as the machine may look at it.

use super::core::Disk;
use super::limits::DIFF_FILE;
use std::fs;
use std::path::Path;

/// The one of this machine.
#[derive(Debug)]
pub(super) struct LocalDisk;

impl Disk for LocalDisk {
    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Option<String> {
        let about = fs::metadata(path).ok()?;
        // Neither pipes nor devices: reading them may never end.
        if !about.is_file() || about.len() > DIFF_FILE {
            return None;
        }
        fs::read_to_string(path).ok()
    }
}
