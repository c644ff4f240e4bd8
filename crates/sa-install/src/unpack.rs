//! From an archive to a directory. An archive is written by others: whatever it says, nothing outside the directory is touched,
//! and no more is written than was allowed. All of this waits for the disk.

mod bounded;
mod directory;
mod select;
mod tarball;
#[cfg(test)]
mod tests;
mod tree;
mod zipfile;

use crate::artifact::Format;
use crate::error::SourceError;
use crate::limits::{MAX_UNPACK_RATIO, MAX_UNPACKED_BYTES, UNPACK_RATIO_FREE_BYTES};
use sa_agents::Unpack;
use sa_disk::{DiskError, at};
use select::Selection;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tree::Tree;

/// A callback with the number of bytes written.
pub(crate) type Counter<'a> = &'a dyn Fn(u64);

/// The reason why an archive was not unpacked.
#[derive(Debug)]
pub(crate) enum UnpackError {
    /// The archive is broken, or it must not be unpacked.
    Refused(String),
    Disk(DiskError),
}

impl UnpackError {
    /// Turns this into an error about a fetched file.
    pub(crate) fn of(self, url: &str) -> SourceError {
        match self {
            Self::Refused(reason) => SourceError::Archive { url: url.to_owned(), reason },
            Self::Disk(error) => error.into(),
        }
    }
}

impl From<DiskError> for UnpackError {
    fn from(error: DiskError) -> Self {
        Self::Disk(error)
    }
}

/// Unpacks what `rules` keep of an archive into an empty directory.
pub(crate) fn unpack(
    archive: &Path,
    format: Format,
    rules: &Unpack,
    into: &Path,
    written: Counter<'_>,
) -> Result<(), UnpackError> {
    let file = File::open(archive).map_err(at(archive))?;
    let length = file.metadata().map_err(at(archive))?.len();
    let allowed = length.saturating_mul(MAX_UNPACK_RATIO).clamp(UNPACK_RATIO_FREE_BYTES, MAX_UNPACKED_BYTES);
    let mut tree = Tree::new(into, Selection::new(rules), allowed, written);
    let read = BufReader::new(file);
    match format {
        Format::Program => Err(UnpackError::Refused("it is no archive".to_owned())),
        Format::TarGz => tarball::unpack(flate2::bufread::MultiGzDecoder::new(read), allowed, &mut tree),
        Format::TarBz2 => tarball::unpack(bzip2::bufread::MultiBzDecoder::new(read), allowed, &mut tree),
        Format::Zip => zipfile::unpack(read, &mut tree),
    }
}

/// Moves a fetched file that is the program itself to its place.
pub(crate) fn move_program(file: &Path, program: &str, into: &Path) -> Result<(), UnpackError> {
    let place: PathBuf = select::parts_of(program.as_bytes())?.iter().collect();
    let to = into.join(place);
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(at(parent))?;
    }
    Ok(fs::rename(file, &to).map_err(at(&to))?)
}

/// Copies a user's directory into an empty one, by the same rules.
pub(crate) fn copy_directory(from: &Path, into: &Path, written: Counter<'_>) -> Result<(), UnpackError> {
    let from = fs::canonicalize(from).map_err(at(from))?;
    directory::copy(&from, &mut Tree::new(into, Selection::everything(), MAX_UNPACKED_BYTES, written))
}

fn broken(error: impl std::fmt::Display) -> UnpackError {
    UnpackError::Refused(format!("the archive is broken: {error}"))
}
