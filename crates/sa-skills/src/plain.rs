//! Copies of files that others put there.

use sa_disk::open_plain;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;

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
