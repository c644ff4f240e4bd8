//! Taking versions away. A process that runs one keeps its files until it ends.

use super::activate::unused;
use super::disk::{DiskError, at};
use super::layout::{AgentDirectory, OLD};
use super::lock::{Lock, remove};
use std::fs;

impl AgentDirectory {
    /// Removes one version, or all with everything else that was kept; answers which. A directory that is no whole version
    /// goes, too. `current` moves to the newest that remains.
    pub(crate) fn uninstall(&self, version: Option<&str>, held: &Lock) -> Result<Vec<String>, DiskError> {
        let mut doomed = self.version_directories()?;
        doomed.retain(|name| version.is_none_or(|version| version == name));
        for version in &doomed {
            self.take_away(version)?;
        }
        if version.is_none() {
            remove(&self.partial())?;
        }
        if !self.has_selection() {
            match self.versions()?.first() {
                Some(newest) => self.select(&newest.version, held)?,
                None => self.unselect()?,
            }
        }
        Ok(doomed)
    }

    /// First its name, then its files: what is half removed is no version any more.
    fn take_away(&self, version: &str) -> Result<(), DiskError> {
        let old = unused(self, OLD)?;
        let directory = self.version(version);
        fs::rename(&directory, &old).map_err(at(&directory))?;
        remove(&old)
    }
}
