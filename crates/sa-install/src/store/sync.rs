//! Making sure that a directory's files are on the disk before it gets its name.

use super::disk::{DiskError, at};
use std::fs::{self, File};
use std::path::Path;

/// From so many files on it is quicker to have the whole file system written than one file after the other.
const MANY: usize = 64;

/// Everything beneath the directory is on the disk, and so are its names.
pub(super) fn tree(root: &Path) -> Result<(), DiskError> {
    let walk = Walk::through(root)?;
    if walk.paths.len() >= MANY && whole_system(root) {
        return Ok(());
    }
    walk.paths.iter().try_for_each(|path| one(path))
}

/// How many bytes the files beneath the directory have.
pub(super) fn measure(root: &Path) -> Result<u64, DiskError> {
    Ok(Walk::through(root)?.bytes)
}

/// One file or directory is on the disk.
pub(super) fn one(path: &Path) -> Result<(), DiskError> {
    let synced = File::open(path).and_then(|file| rustix::fs::fsync(&file).map_err(Into::into));
    synced.map_err(at(path))
}

#[derive(Default)]
struct Walk {
    paths: Vec<std::path::PathBuf>,
    bytes: u64,
}

impl Walk {
    fn through(root: &Path) -> Result<Self, DiskError> {
        let mut walk = Self::default();
        walk.directory(root)?;
        Ok(walk)
    }

    fn directory(&mut self, directory: &Path) -> Result<(), DiskError> {
        for entry in fs::read_dir(directory).map_err(at(directory))? {
            let entry = entry.map_err(at(directory))?;
            let is = entry.metadata().map_err(at(directory))?;
            if is.is_dir() {
                self.directory(&entry.path())?;
            } else if is.is_file() {
                self.bytes += is.len();
                self.paths.push(entry.path());
            }
        }
        self.paths.push(directory.to_owned());
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn whole_system(root: &Path) -> bool {
    File::open(root).is_ok_and(|directory| rustix::fs::syncfs(&directory).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn whole_system(_: &Path) -> bool {
    false
}
