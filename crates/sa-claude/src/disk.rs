//! The files of the CLI, and directories.

use super::core::{Disk, failure, invalid};
use super::transcript::{self, TranscriptError};
use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use std::path::{Path, PathBuf};

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

    fn delete(&self, session: &str) -> Result<(), Error> {
        transcript::delete(&self.0, session)
            .map_err(|error| failure(format!("the transcript cannot be removed: {error}"), "storage"))
    }
}

fn explain(error: &TranscriptError) -> Error {
    match error {
        TranscriptError::BadCursor => invalid(error.to_string()),
        _ => failure(error.to_string(), "storage"),
    }
}
