//! Taking versions away. A process that runs one keeps its files until it ends.

use super::layout::AgentDirectory;
use super::lock::Lock;
use sa_disk::{DiskError, remove_all};

impl AgentDirectory {
    /// Removes one version, or all with everything else that was kept; answers which. A directory that is no whole version
    /// goes, too. `current` moves to the newest that remains.
    pub(crate) fn uninstall(&self, version: Option<&str>, held: &Lock) -> Result<Vec<String>, DiskError> {
        let mut doomed = self.version_directories()?;
        doomed.retain(|name| version.is_none_or(|version| version == name));
        for version in &doomed {
            self.versions.remove(version)?;
        }
        if version.is_none() {
            remove_all(&self.partial())?;
        }
        if !self.has_selection() {
            match self.versions()?.first() {
                Some(newest) => self.select(&newest.version, held)?,
                None => self.versions.unselect()?,
            }
        }
        Ok(doomed)
    }
}
