//! A user's directory, copied as an archive would be unpacked.

use super::UnpackError;
use super::tree::Tree;
use sa_disk::at;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub(super) fn copy(root: &Path, tree: &mut Tree<'_>) -> Result<(), UnpackError> {
    let mut pending = vec![PathBuf::new()];
    while let Some(directory) = pending.pop() {
        let full = root.join(&directory);
        for entry in fs::read_dir(&full).map_err(at(&full))? {
            let entry = entry.map_err(at(&full))?;
            let path = directory.join(entry.file_name());
            let name = path.as_os_str().as_bytes();
            let from = entry.path();
            let is = entry.metadata().map_err(at(&from))?;
            if is.is_dir() {
                tree.directory(name)?;
                pending.push(path);
            } else if is.is_symlink() {
                let target = fs::read_link(&from).map_err(at(&from))?;
                tree.symlink(name, target.as_os_str().as_bytes())?;
            } else if is.is_file() {
                let mut bytes = File::open(&from).map_err(at(&from))?;
                tree.file(name, is.permissions().mode(), &mut bytes)?;
            } else {
                tree.special(name)?;
            }
        }
    }
    Ok(())
}
