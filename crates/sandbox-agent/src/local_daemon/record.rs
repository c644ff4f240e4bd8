//! The record that a daemon writes about itself, and a check that its writer is alive.

use super::place::{DaemonFolder, DaemonFolderError};
use crate::announce::reachable;
use sa_disk::FileLock;
use sa_supervisor::ProcessIdentity;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A daemon, as it describes itself. Later versions may add members.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_ticks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) boot_id: Option<String>,
    pub(crate) started_at_ms: u64,
    /// The address that it listens on.
    pub(crate) address: SocketAddr,
    pub(crate) version: String,
    /// Absent if no token is needed, or if only the user who chose it knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) standing: Standing,
}

/// The relation of a daemon to the terminal that it was started from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(crate) enum Standing {
    /// `sandbox-agent server`: logs to its standard error.
    Foreground,
    /// `sandbox-agent daemon start`.
    #[serde(rename_all = "camelCase")]
    Background { log_file: PathBuf },
}

/// The outcome of looking for a daemon.
#[derive(Debug)]
pub(crate) enum Found {
    Running(Record),
    /// One holds the lock and has not written down yet where it listens, or is about to end.
    Unready,
    /// None. One that crashed may have left its record.
    Nobody,
}

impl Record {
    pub(crate) fn identity(&self) -> ProcessIdentity {
        ProcessIdentity { pid: self.pid, started: self.started_ticks, boot: self.boot_id.clone() }
    }

    /// Returns the address that commands on this machine call.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", reachable(self.address))
    }

    /// Returns the log of a daemon in the background.
    pub(crate) fn log_file(&self) -> Option<&PathBuf> {
        match &self.standing {
            Standing::Background { log_file } => Some(log_file),
            Standing::Foreground => None,
        }
    }

    /// Reads the token that it wants. Absent if it wants none, or if it is not written down.
    pub(crate) fn token(&self) -> Result<Option<String>, DaemonFolderError> {
        let Some(path) = &self.token_file else { return Ok(None) };
        let text = fs::read_to_string(path).map_err(|error| DaemonFolderError::Io(path.clone(), error))?;
        Ok(Some(text.trim().to_owned()))
    }
}

impl DaemonFolder {
    /// Looks for the daemon of this data directory.
    pub(crate) fn find(&self) -> Result<Found, DaemonFolderError> {
        if !self.is_there()? {
            return Ok(Found::Nobody);
        }
        if !FileLock::is_held(&self.lock())? {
            return Ok(Found::Nobody);
        }
        Ok(match self.read_record()?.filter(|record| record.identity().is_running()) {
            Some(record) => Found::Running(record),
            None => Found::Unready,
        })
    }

    /// A record that makes no sense is none: it is replaced by the next daemon.
    fn read_record(&self) -> Result<Option<Record>, DaemonFolderError> {
        match fs::read(self.record()) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(DaemonFolderError::Io(self.record(), error)),
        }
    }
}
