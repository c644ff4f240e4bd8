//! Files that others put there: read if they are plain files, and no further than is asked for.

use rustix::fs::{Mode, OFlags, open};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The beginning of a file, at most this many bytes of it.
///
/// A pipe under its name would be waited on for ever: it is opened without waiting, and refused by what it turns out to be.
pub(crate) fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
