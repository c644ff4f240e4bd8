//! The receipt of an installed version: a file in its directory, written before the directory gets its name.

use rustix::fs::{Access, access};
use sa_agents::Platform;
use sa_disk::{DiskError, at, remove_all};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

const FILE: &str = "installed.json";

/// One installed version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub agent: String,
    /// The version's name, also that of its directory.
    pub version: String,
    /// The platform that it was built for.
    pub platform: Platform,
    pub source: String,
    /// The address that it came from, without credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The digest of the fetched file, as `sha256:…` or `sha512:…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Set if the publisher's digest confirmed it.
    pub verified: bool,
    /// The program, beneath the version's directory.
    pub entry: String,
    /// Arguments that the source asked for; they replace the catalog's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Variables that the source asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The size of its files in bytes.
    pub size: u64,
    /// The time of the installation.
    pub installed_at_ms: u64,
}

impl Receipt {
    /// That of a version's directory, if there is one that makes sense.
    pub(super) fn read(directory: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(directory.join(FILE)).ok()?).ok()
    }

    /// Writes it into the directory. Something of that name which came with the version makes way.
    pub(super) fn write(&self, directory: &Path) -> Result<(), DiskError> {
        let path = directory.join(FILE);
        remove_all(&path)?;
        let write = || {
            let mut bytes = serde_json::to_vec_pretty(self)?;
            bytes.push(b'\n');
            OpenOptions::new().write(true).create_new(true).open(&path)?.write_all(&bytes)
        };
        write().map_err(at(&path))
    }

    /// Returns whether the program is still there.
    pub(super) fn is_whole(&self, directory: &Path) -> bool {
        is_executable(&directory.join(&self.entry))
    }
}

pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|is| is.is_file()) && access(path, Access::EXEC_OK).is_ok()
}
