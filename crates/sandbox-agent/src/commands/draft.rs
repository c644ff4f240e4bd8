//! Files that commands write: each gets its name only when all of it is there.

use crate::failure::Failure;
use anyhow::{Context, Error};
use sa_disk::{AtomicFile, Durability};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Mode of files that others may read if the umask lets them.
pub(crate) const ORDINARY: u32 = 0o666;
/// Mode of files for the caller alone.
pub(crate) const PRIVATE: u32 = 0o600;

/// A file on its way; gone again if it is not kept.
pub(crate) enum OutputFile {
    /// A file next to the one that it will replace.
    Beside(AtomicFile),
    /// A device or a pipe, which nothing can take the place of.
    Straight(File),
}

impl OutputFile {
    pub(crate) fn create(target: &Path, mode: u32) -> Result<Self, Failure> {
        let cannot = || format!("cannot write {}", target.display());
        // A link stays one; what it leads to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        if fs::metadata(&target).is_ok_and(|data| !data.is_file()) {
            let file = OpenOptions::new().write(true).open(&target).with_context(cannot)?;
            return Ok(Self::Straight(file));
        }
        let file = AtomicFile::create(&target, mode).map_err(|error| error.source).with_context(cannot)?;
        Ok(Self::Beside(file))
    }

    /// All of it is there.
    pub(crate) fn keep(self) -> Result<(), Failure> {
        match self {
            Self::Straight(_) => Ok(()),
            Self::Beside(file) => Ok(file.commit(Durability::Eventual).map_err(|error| {
                Error::new(error.source).context(format!("cannot write {}", error.path.display()))
            })?),
        }
    }

    fn file(&mut self) -> &mut File {
        match self {
            Self::Beside(file) => file.file_mut(),
            Self::Straight(file) => file,
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("f"), directory.path().join("l"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        std::os::unix::fs::symlink("f", &link).unwrap();

        let mut given_up = OutputFile::create(&file, PRIVATE).unwrap();
        given_up.write_all(b"ne").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"old");
        drop(given_up);
        assert_eq!(names(directory.path()), ["f", "l"]);

        let mut draft = OutputFile::create(&link, PRIVATE).unwrap();
        draft.write_all(b"new").unwrap();
        draft.keep().unwrap();
        assert_eq!((fs::read(&file).unwrap(), names(directory.path()).len()), (b"new".to_vec(), 2));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn devices_and_directories_stay_what_they_are() {
        let directory = tempfile::tempdir().unwrap();
        assert!(OutputFile::create(directory.path(), ORDINARY).is_err());
        assert!(OutputFile::create(&directory.path().join("none/f"), ORDINARY).is_err());
        let mut null = OutputFile::create(Path::new("/dev/null"), ORDINARY).unwrap();
        null.write_all(b"x").unwrap();
        null.keep().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
