//! A file that is being downloaded: the bytes so far, their hash, and a note next to it about the whole file.

use super::hash::Hasher;
use crate::artifact::{Digest, RemoteFile};
use crate::error::Result;
use sa_disk::{at, remove_all};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

const READ_BYTES: usize = 1 << 18;

/// Facts about the whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The address, without credentials.
    pub(super) url: String,
    /// The host's name for this state of the file: a strong entity tag, or the time of its last change.
    pub(super) validator: Option<String>,
    pub(super) total: Option<u64>,
}

/// The start of a file.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
    file: File,
    hasher: Hasher,
    fresh: Hasher,
    pub(super) len: u64,
    pub(super) note: Option<Note>,
}

impl Partial {
    /// Opens the file that an earlier attempt left, maybe of a process that was killed.
    pub(super) fn open(path: &Path, fresh: Hasher) -> Result<Self> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(at(path))?;
        let mut hasher = fresh.clone();
        let len = hash(&mut file, &mut hasher).map_err(at(path))?;
        let note = fs::read(note_path(path)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(Self { path: path.to_owned(), file, hasher, fresh, len, note })
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(at(&self.path))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Forgets the bytes.
    pub(super) fn restart(&mut self) -> Result<()> {
        self.file.set_len(0).and_then(|()| self.file.rewind()).map_err(at(&self.path))?;
        self.hasher = self.fresh.clone();
        self.len = 0;
        self.remember(None)
    }

    /// Writes down what the bytes are the start of. A note that was cut by a kill is as good as none.
    pub(super) fn remember(&mut self, note: Option<Note>) -> Result<()> {
        let beside = note_path(&self.path);
        match &note {
            Some(note) => {
                let bytes = serde_json::to_vec(note).map_err(io::Error::from).map_err(at(&beside))?;
                fs::write(&beside, bytes).map_err(at(&beside))?;
            }
            None => remove_all(&beside)?,
        }
        self.note = note;
        Ok(())
    }

    /// Returns the digest of the bytes, after they are on the disk.
    pub(super) fn digest(&mut self) -> Result<Digest> {
        self.file.sync_all().map_err(at(&self.path))?;
        Ok(self.hasher.clone().finish())
    }

    /// Removes the bytes and the note.
    pub(super) fn delete(path: &Path) -> Result<()> {
        remove_all(path)?;
        Ok(remove_all(&note_path(path))?)
    }
}

/// Returns the name of the partial file: the same for the same bytes, from any source.
pub(crate) fn file_name(file: &RemoteFile) -> String {
    let digest = file.digest.clone().unwrap_or_else(|| {
        let mut hasher = Hasher::like(None);
        hasher.update(file.url.as_str().as_bytes());
        hasher.finish()
    });
    digest.hex()
}

fn hash(file: &mut File, hasher: &mut Hasher) -> io::Result<u64> {
    let mut buffer = vec![0; READ_BYTES];
    let mut len = 0;
    loop {
        let read = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { return Ok(len) };
        hasher.update(bytes);
        len += read as u64;
    }
}

fn note_path(path: &Path) -> PathBuf {
    path.with_added_extension("json")
}
