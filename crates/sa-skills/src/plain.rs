//! Files that others put there: read if they are plain files, and no further than is asked for.

use rustix::fs::{Mode, OFlags, open};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Returns the beginning of a file, at most this many bytes of it.
pub(crate) fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a plain file.
///
/// A pipe under its name would be waited on forever: it is opened without waiting, and refused by what it turns out to be.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    Ok(file)
}

/// Copies a plain file with its permissions to where nothing is.
pub(crate) fn copy_plain(from: &Path, to: &Path, most: u64) -> io::Result<()> {
    let source = open_plain(from)?;
    let permissions = source.metadata()?.permissions();
    let mut target = OpenOptions::new().write(true).create_new(true).open(to)?;
    if io::copy(&mut source.take(most.saturating_add(1)), &mut target)? > most {
        return Err(io::Error::other("the file is too large to be copied"));
    }
    target.set_permissions(permissions)
}
