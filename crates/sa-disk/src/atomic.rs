//! Writing a file by its path, whole or not at all.

use crate::error::{DiskError, at};
use crate::removal::HOLD;
use crate::sync::sync;
use crate::unnamed::UnnamedFile;
use rustix::fs::{CWD, Mode};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The loss that a power failure may cause. A crash of the process alone costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The file may be left old, new or empty: for what can be made again.
    Eventual,
    /// The file is left old or new: its contents are on the disk before its name is.
    Ordered,
    /// The file is left new: contents and name are on the disk when the call returns.
    Synced,
}

/// A file that replaces another one when it is complete.
#[derive(Debug)]
pub struct AtomicFile {
    unnamed: UnnamedFile,
    path: PathBuf,
}

impl AtomicFile {
    /// Starts a file at `path` with these permissions, as far as the umask allows them.
    pub fn create(path: &Path, mode: u32) -> Result<Self, DiskError> {
        let create = || {
            let dir = rustix::fs::openat(CWD, directory_of(path), HOLD, Mode::empty())?;
            UnnamedFile::create(dir, Mode::from_raw_mode(mode as _))
        };
        let unnamed = create().map_err(at(path))?;
        Ok(Self { unnamed, path: path.to_owned() })
    }

    /// Puts it in place.
    pub fn commit(self, durability: Durability) -> Result<(), DiskError> {
        let Self { unnamed, path } = self;
        if durability != Durability::Eventual {
            unnamed.file.sync_data().map_err(at(&path))?;
        }
        let dir = unnamed.dir().try_clone().map_err(at(&path))?;
        let name = path.file_name().unwrap_or_default();
        unnamed.rename_to(&dir, name).map_err(at(&path))?;
        if durability == Durability::Synced { sync(directory_of(&path)) } else { Ok(()) }
    }

    pub fn file_mut(&mut self) -> &mut File {
        &mut self.unnamed.file
    }
}

/// Replaces a file, or creates it with these permissions.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32, durability: Durability) -> Result<(), DiskError> {
    let mut file = AtomicFile::create(path, mode)?;
    file.write_all(bytes).map_err(at(path))?;
    file.commit(durability)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unnamed.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unnamed.file.flush()
    }
}

pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut given_up = AtomicFile::create(&path, 0o600).unwrap();
        given_up.write_all(b"ne").unwrap();
        drop(given_up);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        for durability in [Durability::Eventual, Durability::Ordered, Durability::Synced] {
            write_atomic(&path, format!("{durability:?}").as_bytes(), 0o600, durability).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{durability:?}"));
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write_atomic(&folder.path().join("none/file"), b"", 0o600, Durability::Eventual);
        assert!(error.unwrap_err().to_string().contains("none/file: No such file"));
    }
}
