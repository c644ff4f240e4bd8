//! The files of the CLI, and directories.

use super::core::Disk;
use super::transcript::{self, TranscriptError};
use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use sa_acp::{failure, invalid};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How much of a transcript is searched for a mode, from its end.
const SEARCHED: u64 = 1 << 20;

/// The real files.
#[derive(Debug)]
pub(super) struct ConfigDir(pub(super) PathBuf);

impl Disk for ConfigDir {
    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn list(&self, cwd: Option<&Path>, cursor: Option<&str>) -> Result<ListSessionsResponse, Error> {
        let page = transcript::list(&self.0, cwd, cursor).map_err(|error| explain(&error))?;
        Ok(ListSessionsResponse::new(page.sessions).next_cursor(page.next))
    }

    fn read(&self, session: &str, cwd: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        match transcript::read(&self.0, session, cwd) {
            Ok(history) => Ok(Some(history)),
            Err(TranscriptError::NotFound) => Ok(None),
            Err(error) => Err(explain(&error)),
        }
    }

    fn mode(&self, session: &str, cwd: &Path) -> Option<String> {
        let folder = self.0.join("projects").join(transcript::slug(cwd));
        last_mode(&folder.join(session).with_extension("jsonl")).ok().flatten()
    }

    fn delete(&self, session: &str) -> Result<(), Error> {
        transcript::delete(&self.0, session)
            .map_err(|error| failure(format!("the transcript cannot be removed: {error}"), "storage"))
    }
}

/// Looks for the last line that names a mode, in the last part of a transcript only: each prompt does.
fn last_mode(path: &Path) -> io::Result<Option<String>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Line {
        permission_mode: String,
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SEARCHED)))?;
    let mut bytes = Vec::new();
    file.take(SEARCHED).read_to_end(&mut bytes)?;
    let mut lines = bytes.rsplit(|byte| *byte == b'\n');
    Ok(lines.find_map(|line| serde_json::from_slice::<Line>(line).ok()).map(|line| line.permission_mode))
}

fn explain(error: &TranscriptError) -> Error {
    match error {
        TranscriptError::BadCursor => invalid(error.to_string()),
        _ => failure(error.to_string(), "storage"),
    }
}
