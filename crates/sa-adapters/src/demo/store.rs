//! Sessions on disk: one file each, in one directory, read when the agent starts.

use super::history::Saved;
use agent_client_protocol_schema::v1::SessionId;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files beyond this size are none of ours.
const MAX_FILE: u64 = 64 << 20;

/// A directory of sessions.
#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
}

impl Store {
    /// Opens a directory, making it if need be, and reads its sessions. Files that are no sessions are left alone.
    pub(super) fn open(directory: PathBuf) -> io::Result<(Self, Vec<Saved>)> {
        fs::create_dir_all(&directory)?;
        let mut saved = Vec::new();
        for entry in fs::read_dir(&directory)? {
            saved.extend(read(&entry?.path()));
        }
        Ok((Self { directory }, saved))
    }

    /// Writes a session. Whoever reads sees the old file or the new one, never a part of it.
    pub(super) fn save(&self, saved: &Saved) -> io::Result<()> {
        let path = self.path(saved.session_id());
        let temporary = path.with_extension("tmp");
        fs::write(&temporary, saved.to_jsonl()?)?;
        fs::rename(&temporary, &path)
    }

    /// Removes a session.
    pub(super) fn forget(&self, session: &SessionId) -> io::Result<()> {
        match fs::remove_file(self.path(session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Ids are made by this agent, out of letters, digits and dashes, or were read from a file of that name.
    fn path(&self, session: &SessionId) -> PathBuf {
        self.directory.join(format!("{session}.jsonl"))
    }
}

fn read(path: &Path) -> Option<Saved> {
    let is_ours = path.extension().is_some_and(|extension| extension == "jsonl")
        && path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_FILE);
    let saved = Saved::from_jsonl(&is_ours.then(|| fs::read_to_string(path).ok())??).ok()?;
    let named_so = path.file_stem().is_some_and(|stem| *stem == *saved.session_id().0);
    named_so.then_some(saved)
}
