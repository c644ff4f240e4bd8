//! The members of a tar stream, one after the other, in memory that does not grow with the archive. The names of
//! members are checked here, before anything is written.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use tar::{EntryType, Header, PaxExtensions};
use thiserror::Error;

const BLOCK: usize = 512;
/// Long names and extended attributes of one member.
const EXTENSION_BYTES: u64 = 1024 * 1024;
/// Directories that a name may go through.
const DEPTH: usize = 128;

/// The reason why a stream is no archive that may be unpacked.
#[derive(Debug, Error)]
pub(crate) enum BadArchive {
    /// The bytes could not be read or decompressed.
    #[error("the archive cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The bytes are no tar archive.
    #[error("this is not a tar archive, or a broken one: {0}")]
    Malformed(&'static str),
    /// A member that must not be.
    #[error("the archive's entry '{name}' {why}")]
    Refused { name: String, why: &'static str },
}

/// One member. Its contents follow in the stream.
#[derive(Debug)]
pub(crate) struct Member {
    /// Beneath the target; empty for the target itself.
    pub(crate) path: PathBuf,
    pub(crate) kind: MemberKind,
    pub(crate) mode: u32,
    pub(crate) modified: i64,
}

/// The kind of a member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MemberKind {
    File,
    Directory,
    /// With where it points to, any text.
    Symlink(Vec<u8>),
    /// With the member that it is another name of.
    HardLink(PathBuf),
}

/// Values of extension headers for the member after them.
#[derive(Debug, Default)]
struct Extensions {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<i64>,
    sparse: bool,
}

/// A tar stream.
#[derive(Debug)]
pub(crate) struct Members<R> {
    input: R,
    /// Bytes of the present member's contents that were not read.
    left: u64,
    /// Padding of the last block of the contents.
    padding: u64,
    begun: bool,
}

impl<R: Read> Members<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, left: 0, padding: 0, begun: false }
    }

    /// Returns the next member; nothing at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Member>, BadArchive> {
        let mut extensions = Extensions::default();
        loop {
            self.skip()?;
            let Some(header) = self.header()? else { return Ok(None) };
            let kind = header.entry_type();
            let own_size = header.entry_size().map_err(|_| BadArchive::Malformed("a size is no number"))?;
            match kind {
                EntryType::GNULongName => extensions.name = Some(until_nul(self.extension(own_size)?)),
                EntryType::GNULongLink => extensions.link = Some(until_nul(self.extension(own_size)?)),
                EntryType::XHeader => extensions.read(&self.extension(own_size)?)?,
                // Holds for all members; what it usually says is a comment.
                EntryType::XGlobalHeader => drop(self.extension(own_size)?),
                _ => return self.member(&header, extensions, own_size).map(Some),
            }
        }
    }

    /// Reads the rest of the stream, so that the sender gets to its end.
    pub(crate) fn drain(&mut self) -> Result<(), BadArchive> {
        io::copy(&mut self.input, &mut io::sink())?;
        Ok(())
    }

    fn member(&mut self, header: &Header, extensions: Extensions, size: u64) -> Result<Member, BadArchive> {
        let name = extensions.name.unwrap_or_else(|| header.path_bytes().into_owned());
        let refused = |why| BadArchive::Refused { name: String::from_utf8_lossy(&name).into_owned(), why };
        let path = member_path(&name).map_err(refused)?;
        let target = || {
            extensions.link.clone().or_else(|| header.link_name_bytes().map(Into::into)).unwrap_or_default()
        };
        let kind = match header.entry_type() {
            _ if extensions.sparse => return Err(refused("is a sparse file, which is not supported")),
            // Old archives mark a directory by the end of its name only.
            EntryType::Regular if name.ends_with(b"/") => MemberKind::Directory,
            EntryType::Regular | EntryType::Continuous => MemberKind::File,
            EntryType::Directory => MemberKind::Directory,
            EntryType::Symlink if target().is_empty() || target().contains(&0) => {
                return Err(refused("is a symbolic link to nowhere"));
            }
            EntryType::Symlink => MemberKind::Symlink(target()),
            EntryType::Link => {
                let link = member_path(&target())
                    .map_err(|_| refused("is a hard link to a file outside of the archive"))?;
                MemberKind::HardLink(link)
            }
            EntryType::Char | EntryType::Block => return Err(refused("is a device")),
            EntryType::Fifo => return Err(refused("is a pipe")),
            EntryType::GNUSparse => return Err(refused("is a sparse file, which is not supported")),
            _ => return Err(refused("is of a kind that is not known here")),
        };
        if path.as_os_str().is_empty() && kind != MemberKind::Directory {
            return Err(refused("has no name"));
        }
        let size = if kind == MemberKind::File { extensions.size.unwrap_or(size) } else { size };
        self.expect(size);
        let mode = header.mode().unwrap_or(0o644) & 0o777;
        let modified =
            extensions.modified.or_else(|| header.mtime().ok().and_then(|time| time.try_into().ok()));
        Ok(Member { path, kind, mode, modified: modified.unwrap_or_default() })
    }

    fn expect(&mut self, size: u64) {
        self.left = size;
        self.padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
    }

    /// Leaves out what is left of the present member.
    fn skip(&mut self) -> Result<(), BadArchive> {
        let rest = self.left.saturating_add(self.padding);
        (self.left, self.padding) = (0, 0);
        let skipped = io::copy(&mut (&mut self.input).take(rest), &mut io::sink())?;
        if skipped < rest { Err(BadArchive::Malformed("it is incomplete")) } else { Ok(()) }
    }

    /// Returns the next header; nothing at the end, with or without the blocks of zeros that should mark it.
    fn header(&mut self) -> Result<Option<Header>, BadArchive> {
        let mut header = Header::new_old();
        let mut filled = 0;
        while filled < BLOCK {
            let free = header.as_mut_bytes().get_mut(filled..).unwrap_or_default();
            match self.input.read(free) {
                Ok(0) if filled == 0 && self.begun => return Ok(None),
                Ok(0) if filled == 0 => return Err(BadArchive::Malformed("it is empty")),
                Ok(0) => return Err(BadArchive::Malformed("it is incomplete")),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.begun = true;
        if header.as_bytes().iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let stored = header.cksum().map_err(|_| BadArchive::Malformed("a checksum is no number"))?;
        if stored != checksum(header.as_bytes()) {
            return Err(BadArchive::Malformed("a checksum is wrong"));
        }
        Ok(Some(header))
    }

    fn extension(&mut self, size: u64) -> Result<Vec<u8>, BadArchive> {
        if size > EXTENSION_BYTES {
            return Err(BadArchive::Malformed("a name or attribute is too long"));
        }
        self.expect(size);
        let mut data = Vec::new();
        self.read_to_end(&mut data)?;
        if (data.len() as u64) < size { Err(BadArchive::Malformed("it is incomplete")) } else { Ok(data) }
    }

    /// Returns the number of unread bytes of the current member.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }
}

/// The contents of the present member.
impl<R: Read> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.input.read(buffer.get_mut(..most).unwrap_or_default())?;
        self.left -= read as u64;
        Ok(read)
    }
}

impl Extensions {
    fn read(&mut self, data: &[u8]) -> Result<(), BadArchive> {
        for record in PaxExtensions::new(data) {
            let record = record.map_err(|_| BadArchive::Malformed("an extended header is malformed"))?;
            let value = record.value_bytes();
            let number = || std::str::from_utf8(value).ok();
            match record.key_bytes() {
                b"path" => self.name = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"size" => {
                    let size = number().and_then(|text| text.parse().ok());
                    self.size = Some(size.ok_or(BadArchive::Malformed("a size is no number"))?);
                }
                // With a fraction, which file systems of the sandbox hardly miss.
                b"mtime" => {
                    self.modified =
                        number().and_then(|text| text.split('.').next()).and_then(|whole| whole.parse().ok());
                }
                key => self.sparse |= key.starts_with(b"GNU.sparse."),
            }
        }
        Ok(())
    }
}

/// Returns the sum of a header's bytes, with its own checksum taken as spaces.
fn checksum(header: &[u8; BLOCK]) -> u32 {
    let place = 148..156;
    let byte = |(index, byte): (usize, &u8)| if place.contains(&index) { 32 } else { u32::from(*byte) };
    header.iter().enumerate().map(byte).sum()
}

fn until_nul(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    bytes
}

/// Returns a member's name as a path beneath the target, or why it cannot be one.
pub(crate) fn member_path(name: &[u8]) -> Result<PathBuf, &'static str> {
    if name.contains(&0) {
        return Err("has a NUL byte in its name");
    }
    let mut path = PathBuf::new();
    for part in Path::new(OsStr::from_bytes(name)).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err("climbs out of its directory"),
            Component::RootDir | Component::Prefix(_) => return Err("has an absolute path"),
        }
    }
    if path.components().count() > DEPTH {
        return Err("lies too deep");
    }
    Ok(path)
}
