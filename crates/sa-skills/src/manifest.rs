//! What was placed in a directory, so that it is recognised and can be removed.

use crate::SkillsError;
use crate::error::at;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What was placed in one directory.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// For people who look.
    pub(crate) directory: PathBuf,
    /// Directories that were made for it, outermost first.
    pub(crate) created: Vec<PathBuf>,
    /// By the names of skills.
    pub(crate) entries: BTreeMap<String, Entry>,
}

/// One skill that was placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Where the link leads, or what the copy is of.
    pub(crate) target: PathBuf,
    /// Where it led before; a daemon that was killed may have left that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) copy: Option<CopyMark>,
}

/// Recognises a copy, and tells whether it is still right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CopyMark {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) fingerprint: String,
}

impl Manifest {
    /// What is written there; nothing if that is not there or cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self, SkillsError> {
        match fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(at(path)(error)),
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), SkillsError> {
        if self.entries.is_empty() && self.created.is_empty() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
                _ => Ok(()),
            };
        }
        let draft = path.with_extension("draft");
        let text = serde_json::to_vec_pretty(self).map_err(|error| at(path)(error.into()))?;
        fs::write(&draft, text).map_err(at(&draft))?;
        fs::rename(&draft, path).map_err(at(path))
    }
}
