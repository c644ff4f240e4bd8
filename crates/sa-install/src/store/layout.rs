//! Where things are in an agent's directory, and which versions count as installed.

use super::receipt::Receipt;
use crate::limits::{MAX_AGENT_CHARS, MAX_VERSION_CHARS};
use sa_disk::{DiskError, VersionedDirectory, at};
use semver::Version;
use std::cmp::Ordering;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An agent's directory.
#[derive(Debug, Clone)]
pub(crate) struct AgentDirectory {
    pub(super) versions: VersionedDirectory,
}

impl AgentDirectory {
    /// That of an agent; none if nothing could be called that.
    pub(crate) fn new(agents: &Path, agent: &str) -> Option<Self> {
        let versions = || VersionedDirectory::new(agents.join(agent));
        is_plain(agent, MAX_AGENT_CHARS).then(|| Self { versions: versions() })
    }

    pub(crate) fn root(&self) -> &Path {
        self.versions.root()
    }

    /// Returns the directory of a version, which need not exist.
    pub(crate) fn version(&self, version: &str) -> PathBuf {
        self.versions.version(version)
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.root().join(".lock")
    }

    /// Downloads on their way.
    pub(crate) fn partial(&self) -> PathBuf {
        self.root().join(".partial")
    }

    /// Returns every version that is installed and whole, the newest first.
    pub(crate) fn versions(&self) -> Result<Vec<Receipt>, DiskError> {
        let names = self.version_directories()?;
        Ok(names.iter().filter_map(|name| self.installed(name)).collect())
    }

    /// Returns every directory that could be a version's, the newest first.
    pub(super) fn version_directories(&self) -> Result<Vec<String>, DiskError> {
        let entries = match fs::read_dir(self.root()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(at(self.root()))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(at(self.root()))?;
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name =
                entry.file_name().into_string().ok().filter(|name| is_directory && check_version(name));
            names.extend(name);
        }
        names.sort_by(|a, b| newest_first(a, b));
        Ok(names)
    }

    /// Returns the receipt of a version, if it is installed and whole.
    pub(crate) fn installed(&self, version: &str) -> Option<Receipt> {
        let directory = self.version(version);
        let real = check_version(version) && fs::symlink_metadata(&directory).is_ok_and(|is| is.is_dir());
        let receipt = Receipt::read(&directory).filter(|_| real)?;
        (receipt.version == version && receipt.is_whole(&directory)).then_some(receipt)
    }

    /// Returns the version that runs when nobody names one: what `current` says, else the newest.
    pub(crate) fn current(&self) -> Result<Option<Receipt>, DiskError> {
        match self.versions.current().and_then(|version| self.installed(&version)) {
            Some(receipt) => Ok(Some(receipt)),
            None => Ok(self.versions()?.into_iter().next()),
        }
    }
}

/// Returns whether this can name a version, and so a directory. Names come from users and from servers.
pub(crate) fn check_version(name: &str) -> bool {
    is_plain(name, MAX_VERSION_CHARS) && !matches!(name, "current" | "latest")
}

fn is_plain(name: &str, most: usize) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    (1..=most).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

/// Returns whether `a` is a newer version than `b`.
pub(crate) fn is_newer(a: &str, b: &str) -> bool {
    newest_first(a, b) == Ordering::Less
}

/// Sorts versions, the newest first; names that are no versions come last.
fn newest_first(a: &str, b: &str) -> Ordering {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => b.cmp(&a),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => b.cmp(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_is_by_version_not_by_text() {
        for (a, b) in [("1.10.0", "1.9.0"), ("2.0.0", "2.0.0-rc.1"), ("1.0.1-beta", "1.0.0")] {
            assert!(is_newer(a, b) && !is_newer(b, a) && !is_newer(a, a), "{a} {b}");
        }
    }

    #[test]
    fn only_plain_names_become_directories() {
        for name in ["1.2.3", "0.0.1785334584-g1c3a0a", "2025.10.02+x", "v1"] {
            assert!(check_version(name), "{name}");
        }
        let long = "1".repeat(200);
        for name in
            ["", ".", "..", "../x", "a/b", ".staging-1", "-x", "1 2", "1\0", "current", "latest", &long]
        {
            assert!(!check_version(name), "{name}");
        }
    }

    #[test]
    fn the_newest_is_the_greatest_not_the_longest() {
        let mut versions = ["1.9.0", "nightly", "1.10.0-rc.1", "1.10.0", "0.50.0"];
        versions.sort_by(|a, b| newest_first(a, b));
        assert_eq!(versions, ["1.10.0", "1.10.0-rc.1", "1.9.0", "0.50.0", "nightly"]);
    }
}
