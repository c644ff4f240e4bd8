//! A directory of versions: each is whole or not there, and a link names the current one.
//!
//! ```text
//!  <root>/<version>/                a version; it got here by a rename
//!         current -> <version>
//!         .staging-* .old-* .link-* on their way in or out
//! ```
//!
//! A change needs a lock of the caller's choice.

use crate::atomic::Durability;
use crate::error::{DiskError, at};
use crate::removal::remove_all;
use crate::sync::{sync, sync_tree};
use crate::unnamed::unique_number;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

const CURRENT: &str = "current";
const STAGING: &str = ".staging-";
const OLD: &str = ".old-";
const LINK: &str = ".link-";

/// A directory of versions.
#[derive(Debug, Clone)]
pub struct VersionedDirectory {
    root: PathBuf,
}

/// A directory in which a version is put together. Dropping it removes what is in it.
#[derive(Debug)]
pub struct Staging {
    path: PathBuf,
}

impl VersionedDirectory {
    /// Names a directory; nothing is created.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Returns where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns where a version is, or would be.
    pub fn version(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn current_link(&self) -> PathBuf {
        self.root.join(CURRENT)
    }

    /// Returns the version that the link names, whether it is there or not.
    pub fn current(&self) -> Option<String> {
        fs::read_link(self.current_link()).ok()?.into_os_string().into_string().ok()
    }

    /// Removes what killed processes left.
    pub fn clean(&self) -> Result<(), DiskError> {
        for entry in fs::read_dir(&self.root).map_err(at(&self.root))? {
            let entry = entry.map_err(at(&self.root))?;
            let name = entry.file_name();
            let begins = |prefix: &&str| name.as_encoded_bytes().starts_with(prefix.as_bytes());
            if [STAGING, OLD, LINK].iter().any(begins) {
                remove_all(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Creates an empty directory to put a version together in.
    pub fn stage(&self) -> Result<Staging, DiskError> {
        let path = self.unused(STAGING);
        DirBuilder::new().mode(0o755).create(&path).map_err(at(&path))?;
        Ok(Staging { path })
    }

    /// Makes a staged tree the version of this name. A version that has the name is replaced, and stays in the staging
    /// directory until that is dropped.
    pub fn publish(&self, tree: &Path, name: &str, durability: Durability) -> Result<(), DiskError> {
        if durability != Durability::Eventual {
            sync_tree(tree)?;
        }
        let version = self.version(name);
        if fs::symlink_metadata(&version).is_err() {
            fs::rename(tree, &version).map_err(at(&version))?;
        } else if !exchange(tree, &version) {
            // A file system that cannot exchange names: for a moment there is no such version, never half of one.
            let old = self.unused(OLD);
            fs::rename(&version, &old).map_err(at(&version))?;
            fs::rename(tree, &version).map_err(at(&version))?;
            remove_all(&old)?;
        }
        self.settle(durability)
    }

    /// Makes a version the current one.
    pub fn select(&self, name: &str, durability: Durability) -> Result<(), DiskError> {
        if self.current().as_deref() == Some(name) {
            return Ok(());
        }
        let (link, current) = (self.unused(LINK), self.current_link());
        symlink(name, &link).map_err(at(&link))?;
        fs::rename(&link, &current).map_err(at(&current))?;
        self.settle(durability)
    }

    /// Leaves no version current.
    pub fn unselect(&self) -> Result<(), DiskError> {
        remove_all(&self.current_link())
    }

    /// Removes a version: first its name, then its files, so that half of one is never seen.
    pub fn remove(&self, name: &str) -> Result<(), DiskError> {
        let (version, old) = (self.version(name), self.unused(OLD));
        fs::rename(&version, &old).map_err(at(&version))?;
        remove_all(&old)
    }

    fn settle(&self, durability: Durability) -> Result<(), DiskError> {
        if durability == Durability::Synced { sync(&self.root) } else { Ok(()) }
    }

    fn unused(&self, prefix: &str) -> PathBuf {
        self.root.join(format!("{prefix}{:016x}", unique_number()))
    }
}

impl Staging {
    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // The next `clean` tries again.
        let _ = remove_all(&self.path);
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn versions_come_and_go_whole() {
        let folder = tempfile::tempdir().unwrap();
        let versions = VersionedDirectory::new(folder.path().to_owned());
        for (text, durability) in [("one", Durability::Eventual), ("two", Durability::Synced)] {
            let staging = versions.stage().unwrap();
            fs::write(staging.path().join("file"), text).unwrap();
            versions.publish(staging.path(), "1", durability).unwrap();
            drop(staging);
            assert_eq!(fs::read_to_string(versions.version("1").join("file")).unwrap(), text);
        }
        assert_eq!(versions.current(), None);
        versions.select("1", Durability::Eventual).unwrap();
        versions.select("1", Durability::Synced).unwrap();
        assert_eq!(versions.current().as_deref(), Some("1"));
        std::mem::forget(versions.stage().unwrap());
        versions.remove("1").unwrap();
        versions.unselect().unwrap();
        versions.clean().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
