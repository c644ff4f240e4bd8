//! Sessions on disk: one file each, in one directory that several processes may share.

use super::core::Archive;
use super::history::Saved;
use agent_client_protocol_schema::v1::SessionId;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

/// No file of ours is larger than this, so no more than this is read.
const MAX_FILE: u64 = 64 << 20;

const EXTENSION: &str = "jsonl";

/// A directory of sessions.
#[derive(Debug, Clone)]
pub(super) struct Store {
    directory: PathBuf,
}

impl Store {
    /// Opens a directory, making it if need be.
    pub(super) fn open(directory: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        Ok(Self { directory })
    }

    /// Writes a session. Whoever reads sees the old file or the new one, never a part of it.
    pub(super) fn save(&self, saved: &Saved) -> io::Result<()> {
        let path = self.path(saved.session_id()).ok_or(io::ErrorKind::InvalidFilename)?;
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&temporary, saved.to_jsonl()?)?;
        fs::rename(&temporary, &path)
    }

    /// Removes a session, if there is such a one.
    pub(super) fn forget(&self, session: &SessionId) -> io::Result<()> {
        let Some(path) = self.path(session) else { return Ok(()) };
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Where a session is; `None` if its id, which a client may have made up, could name a file elsewhere.
    fn path(&self, session: &SessionId) -> Option<PathBuf> {
        let id = session.0.as_ref();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let fits = !id.is_empty() && id.len() <= 64 && id.bytes().all(is_plain);
        fits.then(|| self.directory.join(format!("{id}.{EXTENSION}")))
    }

    fn reader(&self, session: &SessionId) -> Option<BufReader<io::Take<File>>> {
        let file = File::open(self.path(session)?).ok()?;
        Some(BufReader::new(file.take(MAX_FILE)))
    }
}

impl Archive for Store {
    fn session_ids(&self) -> Vec<String> {
        let id = |entry: io::Result<fs::DirEntry>| {
            let path = PathBuf::from(entry.ok()?.file_name());
            let is_ours = path.extension().is_some_and(|extension| extension == EXTENSION);
            is_ours.then(|| path.file_stem()?.to_str().map(str::to_owned))?
        };
        fs::read_dir(&self.directory).map(|entries| entries.filter_map(id).collect()).unwrap_or_default()
    }

    fn summary(&self, session: &SessionId) -> Option<Saved> {
        let mut line = String::new();
        self.reader(session)?.read_line(&mut line).ok()?;
        named(session, &line)
    }

    fn session(&self, session: &SessionId) -> Option<Saved> {
        let mut lines = String::new();
        self.reader(session)?.read_to_string(&mut lines).ok()?;
        named(session, &lines)
    }
}

/// Reads a session, unless it is another one than its file says.
fn named(session: &SessionId, lines: &str) -> Option<Saved> {
    Saved::from_jsonl(lines).ok().filter(|saved| saved.session_id() == session)
}
