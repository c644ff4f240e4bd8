//! From a staging directory to an installed version: the receipt, the rename, the `current` link.

use super::disk::{DiskError, at};
use super::layout::{AgentDirectory, LINK, OLD, STAGING};
use super::lock::{Lock, remove};
use super::receipt::Receipt;
use super::sync;
use crate::error::SourceError;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

const EXECUTABLE: u32 = 0o755;

/// A version being put together. It goes away with this value unless it was activated.
#[derive(Debug)]
pub(crate) struct Staging {
    directory: TempDir,
}

impl Staging {
    /// An empty one; only the holder of the lock has any.
    pub(crate) fn new(agent: &AgentDirectory, _held: &Lock) -> Result<Self, DiskError> {
        let made = tempfile::Builder::new()
            .prefix(STAGING)
            .permissions(Permissions::from_mode(EXECUTABLE))
            .tempdir_in(agent.root());
        Ok(Self { directory: made.map_err(at(agent.root()))? })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Makes it the installed version that the receipt speaks of, in place of one that may be there. Until the rename
    /// nothing of it can be seen; from the rename on, all of it.
    pub(crate) fn activate(
        self,
        agent: &AgentDirectory,
        mut receipt: Receipt,
        held: &Lock,
    ) -> Result<Receipt, DiskError> {
        receipt.size = sync::measure(self.path())?;
        receipt.write(self.path())?;
        sync::tree(self.path())?;
        let version = agent.version(&receipt.version);
        if fs::symlink_metadata(&version).is_ok() {
            self.replace(agent, &version, held)?;
        } else {
            let staging = self.directory.keep();
            fs::rename(&staging, &version).map_err(at(&version))?;
        }
        sync::one(agent.root())?;
        Ok(receipt)
    }

    /// The new version takes the name of the old one, which then goes away with this value.
    fn replace(self, agent: &AgentDirectory, version: &Path, _held: &Lock) -> Result<(), DiskError> {
        if exchange(self.path(), version) {
            return Ok(());
        }
        // A file system that cannot exchange names: for a moment there is no such version, never half of one.
        let old = unused(agent, OLD)?;
        fs::rename(version, &old).map_err(at(version))?;
        fs::rename(self.directory.keep(), version).map_err(at(version))?;
        remove(&old)
    }
}

impl AgentDirectory {
    /// Makes this version the one that runs when nobody names one.
    pub(crate) fn select(&self, version: &str, _held: &Lock) -> Result<(), DiskError> {
        let current = self.current_link();
        if self.is_selected(version) {
            return Ok(());
        }
        let link = unused(self, LINK)?;
        symlink(version, &link).map_err(at(&link))?;
        fs::rename(&link, &current).map_err(at(&current))?;
        sync::one(self.root())
    }

    /// Whether `current` names this version.
    pub(crate) fn is_selected(&self, version: &str) -> bool {
        fs::read_link(self.current_link()).is_ok_and(|target| target == Path::new(version))
    }

    /// Whether `current` names an installed version.
    pub(crate) fn has_selection(&self) -> bool {
        let target = fs::read_link(self.current_link()).ok();
        target.and_then(|target| self.installed(target.to_str()?)).is_some()
    }

    pub(super) fn unselect(&self) -> Result<(), DiskError> {
        remove(&self.current_link())
    }
}

/// The first of the entries that exists, made executable. An entry that a source names cannot point elsewhere.
pub(crate) fn locate_entry(staging: &Path, entries: &[String]) -> Result<Option<String>, SourceError> {
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

/// A name that nothing has. The lock is held, so that it stays unused.
pub(super) fn unused(agent: &AgentDirectory, prefix: &str) -> Result<PathBuf, DiskError> {
    let taken = tempfile::Builder::new().prefix(prefix).tempdir_in(agent.root()).map_err(at(agent.root()))?;
    let path = taken.path().to_owned();
    taken.close().map_err(at(&path))?;
    Ok(path)
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}
