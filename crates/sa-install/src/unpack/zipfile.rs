//! Zip archives.

use super::tree::Tree;
use super::{UnpackError, broken};
use crate::limits::{MAX_PATH_BYTES, MAX_UNPACKED_ENTRIES};
use std::io::{Read, Seek};
use zip::ZipArchive;

const FILE_TYPE_BITS: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;

pub(super) fn unpack(file: impl Read + Seek, tree: &mut Tree<'_>) -> Result<(), UnpackError> {
    let mut archive = ZipArchive::new(file).map_err(broken)?;
    if archive.len() > MAX_UNPACKED_ENTRIES {
        return Err(UnpackError::Refused(format!("it holds more than {MAX_UNPACKED_ENTRIES} files")));
    }
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        let name = entry.name_raw().to_owned();
        let mode = entry.unix_mode().unwrap_or_default();
        match mode & FILE_TYPE_BITS {
            _ if name.ends_with(b"/") => tree.directory(&name)?,
            DIRECTORY => tree.directory(&name)?,
            SYMLINK => {
                let mut target = Vec::new();
                entry.by_ref().take(MAX_PATH_BYTES as u64).read_to_end(&mut target).map_err(broken)?;
                tree.symlink(&name, &target)?;
            }
            // Archives of other systems give no type.
            0 | REGULAR => tree.file(&name, mode, &mut entry)?,
            _ => tree.special(&name)?,
        }
    }
    Ok(())
}
