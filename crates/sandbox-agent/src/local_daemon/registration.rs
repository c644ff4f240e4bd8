//! A daemon's claim to be the one of its data directory.

use super::place::{DaemonFolder, DaemonFolderError};
use super::record::Record;
use crate::commands::draft::{OutputFile, PRIVATE};
use crate::failure::Failure;
use anyhow::Context;
use sa_disk::FileLock;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Commands that look for a daemon hold the lock for an instant.
const GLANCE: Duration = Duration::from_secs(1);

/// Held by a daemon for as long as it lives. The record goes with it.
#[derive(Debug)]
pub(crate) struct Registration {
    place: DaemonFolder,
    _lock: FileLock,
}

impl Registration {
    /// Takes the data directory; none if another daemon has it.
    pub(crate) fn claim(place: &DaemonFolder) -> Result<Option<Self>, DaemonFolderError> {
        place.create()?;
        let Some(lock) = FileLock::take_within(&place.lock(), GLANCE)? else { return Ok(None) };
        let registration = Self { place: place.clone(), _lock: lock };
        registration.forget();
        Ok(Some(registration))
    }

    /// Makes the daemon known.
    pub(crate) fn publish(&self, record: &Record) -> Result<(), Failure> {
        let text = serde_json::to_vec_pretty(record).context("cannot write the daemon's record")?;
        write_private(&self.place.record(), &text)
    }

    fn forget(&self) {
        let _ = fs::remove_file(self.place.record());
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Replaces a file that only this user reads, whole or not at all.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut draft = OutputFile::create(path, PRIVATE)?;
    draft.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    draft.keep()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Found, Standing};
    use super::*;
    use sa_supervisor::ProcessIdentity;

    fn record(identity: ProcessIdentity) -> Record {
        Record {
            pid: identity.pid,
            started_ticks: identity.started,
            boot_id: identity.boot,
            started_at_ms: 1,
            address: "0.0.0.0:7".parse().unwrap(),
            version: "1".to_owned(),
            token_file: None,
            standing: Standing::Foreground,
        }
    }

    #[test]
    fn one_daemon_has_a_data_directory_and_leaves_nothing() {
        let data = tempfile::tempdir().unwrap();
        let place = DaemonFolder::of(data.path());
        assert!(matches!(place.find().unwrap(), Found::Nobody));
        let claim = Registration::claim(&place).unwrap().unwrap();
        assert!(matches!(place.find().unwrap(), Found::Unready));
        assert!(Registration::claim(&place).unwrap().is_none());
        claim.publish(&record(ProcessIdentity::current())).unwrap();
        match place.find().unwrap() {
            Found::Running(found) => assert_eq!(found.endpoint(), "http://127.0.0.1:7"),
            other => panic!("{other:?}"),
        }
        drop(claim);
        assert!(matches!(place.find().unwrap(), Found::Nobody));
    }

    #[test]
    fn a_record_without_its_process_is_nobody() {
        let data = tempfile::tempdir().unwrap();
        let place = DaemonFolder::of(data.path());
        let claim = Registration::claim(&place).unwrap().unwrap();
        let mut recycled = ProcessIdentity::current();
        recycled.started = Some(1);
        claim.publish(&record(recycled)).unwrap();
        assert!(matches!(place.find().unwrap(), Found::Unready), "the lock is held by another process");
        let text = fs::read(place.record()).unwrap();
        drop(claim);
        fs::write(place.record(), text).unwrap();
        assert!(matches!(place.find().unwrap(), Found::Nobody));
        fs::write(place.record(), "{").unwrap();
        assert!(matches!(place.find().unwrap(), Found::Nobody));
    }
}
