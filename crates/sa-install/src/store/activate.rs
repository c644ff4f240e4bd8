//! From a staging directory to an installed version: the receipt, the rename, the `current` link.

use super::layout::AgentDirectory;
use super::lock::Lock;
use super::receipt::Receipt;
use crate::error::Result;
use sa_disk::{DiskError, Durability, Staging, at};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

const EXECUTABLE: u32 = 0o755;

impl AgentDirectory {
    /// Creates an empty directory to put a version together in; only the holder of the lock has any.
    pub(crate) fn stage(&self, _held: &Lock) -> Result<Staging, DiskError> {
        self.versions.stage()
    }

    /// Makes the staged version the one that the receipt names, in place of one that may be there. Until the rename nothing of
    /// it can be seen; from the rename on, all of it.
    pub(crate) fn activate(
        &self,
        staging: &Staging,
        mut receipt: Receipt,
        _held: &Lock,
    ) -> Result<Receipt, DiskError> {
        receipt.size = sa_disk::size_of(staging.path())?;
        receipt.write(staging.path())?;
        self.versions.publish(staging.path(), &receipt.version, Durability::Synced)?;
        Ok(receipt)
    }

    /// Makes this version the one that runs when nobody names one.
    pub(crate) fn select(&self, version: &str, _held: &Lock) -> Result<(), DiskError> {
        self.versions.select(version, Durability::Synced)
    }

    /// Returns whether `current` names this version.
    pub(crate) fn is_selected(&self, version: &str) -> bool {
        self.versions.current().as_deref() == Some(version)
    }

    /// Returns whether `current` names an installed version.
    pub(crate) fn has_selection(&self) -> bool {
        self.versions.current().and_then(|version| self.installed(&version)).is_some()
    }
}

/// Returns the first of the entries that exists, made executable. An entry that a source names cannot point
/// elsewhere.
pub(crate) fn locate_entry(staging: &Path, entries: &[String]) -> Result<Option<String>> {
    for entry in entries {
        let plain = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
        let path: PathBuf = Path::new(entry).components().filter(|part| *part != Component::CurDir).collect();
        if !Path::new(entry).components().all(plain) || path.as_os_str().is_empty() {
            continue;
        }
        let program = staging.join(&path);
        if !fs::metadata(&program).is_ok_and(|is| is.is_file()) {
            continue;
        }
        fs::set_permissions(&program, Permissions::from_mode(EXECUTABLE)).map_err(at(&program))?;
        return Ok(path.to_str().map(str::to_owned));
    }
    Ok(None)
}
