//! Sessions on disk: one file each, in one directory that several processes may share.

use super::core::Archive;
use super::history::Saved;
use agent_client_protocol_schema::v1::SessionId;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// No file of ours is larger than this, so no more than this is read.
const MAX_FILE: u64 = 64 << 20;

const EXTENSION: &str = "jsonl";

/// Sessions that are kept, in number and in bytes; beyond either, those go that were not used for the longest time.
const MAX_SESSIONS: usize = 256;
const MAX_BYTES: u64 = 256 << 20;

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

    /// Writes a session. Readers see the old file or the new one, never a part of it.
    pub(super) fn save(&self, saved: &Saved) -> io::Result<()> {
        let path = self.path(saved.session_id()).ok_or(io::ErrorKind::InvalidFilename)?;
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let is_new = !path.exists();
        fs::write(&temporary, saved.to_jsonl()?)?;
        fs::rename(&temporary, &path)?;
        if is_new { self.trim(&path) } else { Ok(()) }
    }

    /// Removes the sessions that do not fit, but never the one in `keep`. Files that a killed process left go the same way.
    fn trim(&self, keep: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let is_ours =
                path.extension().is_some_and(|extension| extension == EXTENSION || extension == "tmp");
            // Another process may have removed it.
            let Some(about) = fs::metadata(&path).ok().filter(|about| is_ours && about.is_file()) else {
                continue;
            };
            files.push((path == keep, about.modified().ok(), about.len(), path));
        }
        files.sort_by(|one, other| other.cmp(one));
        let mut bytes = 0;
        for (index, (is_kept, _, length, path)) in files.into_iter().enumerate() {
            bytes += length;
            if !is_kept && (index >= MAX_SESSIONS || bytes > MAX_BYTES) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Removes a session, if there is such a one.
    pub(super) fn forget(&self, session: &SessionId) -> io::Result<()> {
        let Some(path) = self.path(session) else { return Ok(()) };
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns where a session is; `None` if its id, which a client may have made up, could name a file elsewhere.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::Session;
    use std::time::{Duration, SystemTime};

    #[test]
    fn sessions_that_were_not_used_for_long_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().to_owned()).unwrap();
        let session = |number: usize| {
            Session::new(SessionId::new(format!("s-{number:03}")), "/".into(), Duration::ZERO).to_saved()
        };
        for number in 0..MAX_SESSIONS {
            store.save(&session(number)).unwrap();
        }
        let age = |name: &str, seconds: u64| {
            let file = File::options().write(true).open(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        age("s-007.jsonl", 900);
        fs::write(folder.path().join("other.txt"), "not a session").unwrap();
        store.save(&session(0)).unwrap();
        assert_eq!(store.session_ids().len(), MAX_SESSIONS, "one that is known needs no room");
        store.save(&session(MAX_SESSIONS)).unwrap();
        let ids = store.session_ids();
        assert_eq!(ids.len(), MAX_SESSIONS);
        assert!(!ids.contains(&"s-007".to_owned()) && ids.contains(&format!("s-{MAX_SESSIONS}")), "{ids:?}");
        let large = File::create(folder.path().join("s-009.jsonl")).unwrap();
        large.set_len(MAX_BYTES).unwrap();
        age("s-009.jsonl", 900);
        store.save(&session(MAX_SESSIONS + 1)).unwrap();
        assert!(!store.session_ids().contains(&"s-009".to_owned()), "they fit by their bytes, too");
        assert!(folder.path().join("other.txt").exists());
    }
}
