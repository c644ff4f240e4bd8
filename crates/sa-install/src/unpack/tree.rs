//! The directory that is filled. It only ever writes beneath its root: every parent is a directory that it made itself, no name is
//! used twice, and a link leads to somewhere beneath the root, whatever other links there are.

use super::select::{Selection, parts_of};
use super::{Counter, UnpackError, broken};
use crate::limits::MAX_UNPACKED_ENTRIES;
use sa_disk::at;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

const COPY_BYTES: usize = 1 << 18;
const SET_ID_BITS: u32 = 0o6000;
const EXECUTE_BITS: u32 = 0o111;

/// A directory being filled.
pub(super) struct Tree<'a> {
    root: &'a Path,
    selection: Selection,
    made: HashMap<PathBuf, Kind>,
    entries: usize,
    /// Bytes that may be written, and bytes that were.
    allowed: u64,
    bytes: u64,
    written: Counter<'a>,
    buffer: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Directory,
    File,
    Link,
}

impl<'a> Tree<'a> {
    pub(super) fn new(root: &'a Path, selection: Selection, allowed: u64, written: Counter<'a>) -> Self {
        let made = HashMap::new();
        Self { root, selection, made, entries: 0, allowed, bytes: 0, written, buffer: vec![0; COPY_BYTES] }
    }

    pub(super) fn directory(&mut self, name: &[u8]) -> Result<(), UnpackError> {
        match self.place(name)? {
            Some(path) => self.make_directory(&path),
            None => Ok(()),
        }
    }

    pub(super) fn file(&mut self, name: &[u8], mode: u32, bytes: &mut dyn Read) -> Result<(), UnpackError> {
        let Some(path) = self.place(name)? else { return Ok(()) };
        if mode & SET_ID_BITS != 0 {
            return Err(refused(&path, "a program that would run as another user"));
        }
        self.claim(&path, Kind::File)?;
        let full = self.root.join(&path);
        let mode = if mode & EXECUTE_BITS == 0 { 0o644 } else { 0o755 };
        // Never through something that is there, link or not.
        let created = OpenOptions::new().write(true).create_new(true).mode(mode).open(&full);
        self.copy(bytes, created.map_err(at(&full))?, &full)
    }

    /// Creates a symbolic link. Only steps upwards at its start are allowed: those are within directories of ours,
    /// and each further step leads down or through another such link. So it cannot leave the root.
    pub(super) fn symlink(&mut self, name: &[u8], target: &[u8]) -> Result<(), UnpackError> {
        let Some(path) = self.place(name)? else { return Ok(()) };
        let target = std::str::from_utf8(target).map_err(|_| refused(&path, "a link to no name"))?;
        let upwards = target.split('/').take_while(|part| matches!(*part, ".." | "."));
        let steps = upwards.clone().filter(|part| *part == "..").count();
        let climbs_later = target.split('/').skip(upwards.count()).any(|part| part == "..");
        let leaves = target.starts_with('/') || steps >= path.components().count() || climbs_later;
        if target.is_empty() || target.contains('\0') || leaves {
            return Err(refused(&path, "a link that leads out of the directory"));
        }
        self.claim(&path, Kind::Link)?;
        let full = self.root.join(&path);
        symlink(target, &full).map_err(at(&full))?;
        Ok(())
    }

    /// Another name of a file that came before.
    pub(super) fn hard_link(&mut self, name: &[u8], target: &[u8]) -> Result<(), UnpackError> {
        let Some(path) = self.place(name)? else { return Ok(()) };
        let target = self.selection.place(&parts_of(target)?);
        let is_file = |target: &PathBuf| self.made.get(target) == Some(&Kind::File);
        let Some(target) = target.filter(is_file) else {
            return Err(refused(&path, "a second name of a file that is not there"));
        };
        self.claim(&path, Kind::File)?;
        let full = self.root.join(&path);
        fs::hard_link(self.root.join(target), &full).map_err(at(&full))?;
        Ok(())
    }

    /// Something else than files, directories and links.
    pub(super) fn special(&mut self, name: &[u8]) -> Result<(), UnpackError> {
        let parts = parts_of(name)?;
        Err(refused(Path::new(&parts.join("/")), "neither a file nor a directory nor a link"))
    }

    fn place(&mut self, name: &[u8]) -> Result<Option<PathBuf>, UnpackError> {
        self.entries += 1;
        if self.entries > MAX_UNPACKED_ENTRIES {
            return Err(UnpackError::Refused(format!("it holds more than {MAX_UNPACKED_ENTRIES} files")));
        }
        Ok(self.selection.place(&parts_of(name)?))
    }

    fn claim(&mut self, path: &Path, kind: Kind) -> Result<(), UnpackError> {
        if let Some(parent) = path.parent() {
            self.make_directory(parent)?;
        }
        match self.made.insert(path.to_owned(), kind) {
            None => Ok(()),
            Some(_) => Err(refused(path, "twice")),
        }
    }

    fn make_directory(&mut self, path: &Path) -> Result<(), UnpackError> {
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        match self.made.get(path) {
            Some(Kind::Directory) => return Ok(()),
            Some(_) => return Err(refused(path, "as a directory and as something else")),
            None => {}
        }
        self.claim(path, Kind::Directory)?;
        let full = self.root.join(path);
        fs::create_dir(&full).map_err(at(&full))?;
        Ok(())
    }

    fn copy(&mut self, from: &mut dyn Read, mut to: File, path: &Path) -> Result<(), UnpackError> {
        loop {
            let read = match from.read(&mut self.buffer) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(broken(error)),
            };
            let Some(piece) = self.buffer.get(..read).filter(|piece| !piece.is_empty()) else {
                return Ok(());
            };
            self.bytes += read as u64;
            if self.bytes > self.allowed {
                return Err(UnpackError::Refused(format!("it swells to more than {} bytes", self.allowed)));
            }
            to.write_all(piece).map_err(at(path))?;
            (self.written)(self.bytes);
        }
    }
}

fn refused(path: &Path, what: &str) -> UnpackError {
    UnpackError::Refused(format!("the archive holds {path:?}, {what}"))
}
