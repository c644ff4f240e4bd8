//! The files of the CLI, and directories.

use super::core::Disk;
use super::transcript::{self, TranscriptError};
use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use sa_acp::{failure, invalid, read_plain_text};
use serde::Deserialize;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The part of a transcript that is searched for a mode, from its end.
const SEARCHED: u64 = 1 << 20;

/// The real files.
#[derive(Debug)]
pub(super) struct ConfigDir {
    /// The place in which the CLI keeps its files.
    pub(super) config: PathBuf,
    /// The agent's own directory, if it has one: `<session>.conversation` holds the id of the conversation in which a
    /// cleared session continues.
    pub(super) state: Option<PathBuf>,
}

impl ConfigDir {
    fn note(&self, session: &str) -> Option<PathBuf> {
        let is_id = transcript::is_session_id(session);
        self.state.as_ref().filter(|_| is_id).map(|state| state.join(format!("{session}.conversation")))
    }
}

impl Disk for ConfigDir {
    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn list(&self, cwd: Option<&Path>, cursor: Option<&str>) -> Result<ListSessionsResponse, Error> {
        let page = transcript::list(&self.config, cwd, cursor).map_err(|error| explain(&error))?;
        Ok(ListSessionsResponse::new(page.sessions).next_cursor(page.next))
    }

    fn read(&self, session: &str, cwd: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        match transcript::read(&self.config, session, cwd) {
            Ok(history) => Ok(Some(history)),
            Err(TranscriptError::NotFound) => Ok(None),
            Err(error) => Err(explain(&error)),
        }
    }

    fn mode(&self, session: &str, cwd: &Path) -> Option<String> {
        last_mode(&transcript::find(&self.config, session, Some(cwd))?).ok().flatten()
    }

    fn conversation(&self, session: &str) -> Option<String> {
        let id = read_plain_text(&self.note(session)?, SEARCHED).ok()?;
        Some(id.trim().to_owned()).filter(|id| transcript::is_session_id(id))
    }

    fn moved(&self, session: &str, conversation: &str) -> io::Result<()> {
        let Some(path) = self.note(session) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Written to another file first, so that a crash leaves the old id or the new one.
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&temporary, conversation)?;
        fs::rename(&temporary, &path)
    }

    fn delete(&self, session: &str) -> Result<(), Error> {
        if let Some(note) = self.note(session) {
            // Most sessions have none.
            let _ = fs::remove_file(note);
        }
        transcript::delete(&self.config, session)
            .map_err(|error| failure(format!("the transcript cannot be removed: {error}"), "storage"))
    }
}

/// Looks for the last line that names a mode, in the last part of a transcript only: each prompt does.
fn last_mode(path: &Path) -> io::Result<Option<String>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct StoredLine {
        permission_mode: String,
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SEARCHED)))?;
    let mut bytes = Vec::new();
    file.take(SEARCHED).read_to_end(&mut bytes)?;
    let mut lines = bytes.rsplit(|byte| *byte == b'\n');
    Ok(lines
        .find_map(|line| serde_json::from_slice::<StoredLine>(line).ok())
        .map(|line| line.permission_mode))
}

fn explain(error: &TranscriptError) -> Error {
    match error {
        TranscriptError::BadCursor => invalid(error.to_string()),
        _ => failure(error.to_string(), "storage"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_found_where_the_transcript_is() {
        const ID: &str = "00000000-0000-4000-8000-000000000001";
        let folder = tempfile::tempdir().unwrap();
        let (cwd, link, other) = (folder.path().join("cwd"), folder.path().join("link"), folder.path());
        fs::create_dir(&cwd).unwrap();
        std::os::unix::fs::symlink(&cwd, &link).unwrap();
        let disk = ConfigDir { config: folder.path().join("config"), state: None };
        // The CLI resolves links before it names the folder.
        let resolved = cwd.canonicalize().unwrap();
        let name = resolved.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let project = disk.config.join("projects").join(name);
        fs::create_dir_all(&project).unwrap();
        let line = r#"{"type":"user","permissionMode":"plan"}"#;
        fs::write(project.join(format!("{ID}.jsonl")), line).unwrap();
        for place in [&*cwd, &*link, other] {
            assert_eq!(disk.mode(ID, place).as_deref(), Some("plan"), "{}", place.display());
        }
        assert_eq!(disk.mode("../escape", &cwd), None);
    }
}
