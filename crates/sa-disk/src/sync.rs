//! Waiting until files are on the disk.

use crate::error::{DiskError, at};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// From so many files on it is quicker to have the whole file system written than one file after the other.
const MANY: usize = 64;

/// Waits until a file's contents, or a directory's names, are on the disk.
pub fn sync(path: &Path) -> Result<(), DiskError> {
    let synced = File::open(path).and_then(|file| rustix::fs::fsync(&file).map_err(Into::into));
    synced.map_err(at(path))
}

/// Waits until the names in an open directory are on the disk.
pub fn sync_dir(dir: &OwnedFd) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::fsync(rustix::fs::openat(dir, ".", flags, Mode::empty())?)
}

/// Waits until everything in a directory is on the disk, names included.
pub fn sync_tree(root: &Path) -> Result<(), DiskError> {
    let tree = Tree::walk(root)?;
    if tree.paths.len() >= MANY && sync_file_system(root) {
        return Ok(());
    }
    tree.paths.iter().try_for_each(|path| sync(path))
}

/// Returns how many bytes the files in a directory have.
pub fn size_of(root: &Path) -> Result<u64, DiskError> {
    Ok(Tree::walk(root)?.bytes)
}

#[derive(Default)]
struct Tree {
    paths: Vec<PathBuf>,
    bytes: u64,
}

impl Tree {
    fn walk(root: &Path) -> Result<Self, DiskError> {
        let mut tree = Self::default();
        tree.add_directory(root)?;
        Ok(tree)
    }

    fn add_directory(&mut self, directory: &Path) -> Result<(), DiskError> {
        for entry in fs::read_dir(directory).map_err(at(directory))? {
            let entry = entry.map_err(at(directory))?;
            let metadata = entry.metadata().map_err(at(directory))?;
            if metadata.is_dir() {
                self.add_directory(&entry.path())?;
            } else if metadata.is_file() {
                self.bytes += metadata.len();
                self.paths.push(entry.path());
            }
        }
        self.paths.push(directory.to_owned());
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn sync_file_system(root: &Path) -> bool {
    File::open(root).is_ok_and(|directory| rustix::fs::syncfs(&directory).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &Path) -> bool {
    false
}
