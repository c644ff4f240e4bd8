//! Tarballs. Entries are taken raw: the extension headers are read here, because the library would hold one of any size in memory.

use super::bounded::Bounded;
use super::tree::Tree;
use super::{UnpackError, broken};
use crate::limits::MAX_TAR_EXTENSION_BYTES;
use std::io::{self, Read};
use tar::{Archive, EntryType, Header, PaxExtensions};

/// Values of extension headers for the entry after them.
#[derive(Default)]
struct Extensions {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<Vec<u8>>,
}

pub(super) fn unpack(decoder: impl Read, allowed: u64, tree: &mut Tree<'_>) -> Result<(), UnpackError> {
    let mut archive = Archive::new(Bounded::new(decoder, allowed));
    let mut extensions = Extensions::default();
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        let header = entry.header().clone();
        match header.entry_type() {
            EntryType::GNULongName => extensions.name = Some(text(&mut entry)?),
            EntryType::GNULongLink => extensions.link = Some(text(&mut entry)?),
            EntryType::XHeader => extensions.read_pax(&extension(&mut entry)?)?,
            EntryType::XGlobalHeader => {}
            _ => add(&header, std::mem::take(&mut extensions), &mut entry, tree)?,
        }
    }
    // To the end: only there does the decoder know that the file was whole.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    Ok(())
}

fn add(
    header: &Header,
    extensions: Extensions,
    bytes: &mut dyn Read,
    tree: &mut Tree<'_>,
) -> Result<(), UnpackError> {
    // Some writers repeat it. It differs only for files that are larger than may be unpacked, and then moves the next header.
    let size = header.entry_size().map_err(broken)?.to_string();
    if extensions.size.is_some_and(|said| said != size.as_bytes()) {
        return Err(broken("it says two lengths of one file"));
    }
    let name = extensions.name.unwrap_or_else(|| header.path_bytes().into_owned());
    let link = extensions.link.or_else(|| Some(header.link_name_bytes()?.into_owned())).unwrap_or_default();
    match header.entry_type() {
        EntryType::Directory => tree.directory(&name),
        // The oldest tars mark a directory only by its name.
        EntryType::Regular if name.ends_with(b"/") => tree.directory(&name),
        EntryType::Regular | EntryType::Continuous => tree.file(&name, header.mode().map_err(broken)?, bytes),
        EntryType::Symlink => tree.symlink(&name, &link),
        EntryType::Link => tree.hard_link(&name, &link),
        _ => tree.special(&name),
    }
}

impl Extensions {
    fn read_pax(&mut self, bytes: &[u8]) -> Result<(), UnpackError> {
        for extension in PaxExtensions::new(bytes) {
            let extension = extension.map_err(broken)?;
            match extension.key_bytes() {
                b"path" => self.name = Some(extension.value_bytes().to_owned()),
                b"linkpath" => self.link = Some(extension.value_bytes().to_owned()),
                b"size" => self.size = Some(extension.value_bytes().to_owned()),
                key if key.starts_with(b"GNU.sparse.") => return Err(broken("a file has holes")),
                _ => {}
            }
        }
        Ok(())
    }
}

fn extension(entry: &mut impl Read) -> Result<Vec<u8>, UnpackError> {
    let mut bytes = Vec::new();
    entry.take(MAX_TAR_EXTENSION_BYTES + 1).read_to_end(&mut bytes).map_err(broken)?;
    if bytes.len() as u64 > MAX_TAR_EXTENSION_BYTES {
        return Err(broken("a name is too long"));
    }
    Ok(bytes)
}

/// Returns an extension that is nothing but a name, ended by a zero.
fn text(entry: &mut impl Read) -> Result<Vec<u8>, UnpackError> {
    let mut bytes = extension(entry)?;
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    Ok(bytes)
}
