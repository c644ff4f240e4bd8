//! The contents of a directory and their users, so that they are recognized and can be removed.

use crate::error::Result;
use sa_disk::{Durability, at, remove_all, write_atomic};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The skills placed in one directory.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    #[serde(flatten)]
    pub(crate) place: Place,
    /// Directories that were made for it, outermost first.
    pub(crate) created: Vec<PathBuf>,
    /// By the names of skills.
    pub(crate) entries: BTreeMap<String, PlacedEntry>,
    /// Sessions that want something there, the one that started last at the end.
    #[serde(default)]
    pub(crate) owners: Vec<Owner>,
}

/// A directory in which skills are placed.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    /// The directory that agents work in, without links.
    pub(crate) cwd: PathBuf,
    /// From there to where skills are placed.
    pub(crate) relative: PathBuf,
}

/// A session, and what it wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) session: String,
    /// By the names of skills; never empty.
    pub(crate) wanted: BTreeMap<String, Wanted>,
}

/// A skill that is to be placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// The source, for people.
    pub(crate) origin: String,
    pub(crate) target: PathBuf,
    pub(crate) boundary: PathBuf,
}

/// One skill that was placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlacedEntry {
    /// The target of the link, or the original of the copy.
    pub(crate) target: PathBuf,
    /// The skill in the cache that the link's target is a copy of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<PathBuf>,
    /// The previous target; a daemon that was killed may have left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) copy: Option<CopyMark>,
}

/// The identity of a copy, and of its original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CopyMark {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) fingerprint: String,
    /// The fingerprint of the copy.
    #[serde(default)]
    pub(crate) seal: String,
}

impl PlacedEntry {
    /// Returns whether this placement is the wanted one.
    pub(crate) fn is_of(&self, wanted: &Wanted) -> bool {
        *self.source.as_ref().unwrap_or(&self.target) == wanted.target
    }
}

impl Manifest {
    /// Reads a manifest. A missing or unreadable one is empty.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        match fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(at(path)(error).into()),
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        if self.entries.is_empty() && self.created.is_empty() && self.owners.is_empty() {
            return Ok(remove_all(path)?);
        }
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from).map_err(at(path))?;
        Ok(write_atomic(path, &text, 0o666, Durability::Eventual)?)
    }

    /// Returns the skills that should be there, each with its session. Of several sessions that want different skills
    /// under one name, the one that started last gets it.
    pub(crate) fn wanted(&self) -> BTreeMap<String, (String, Wanted)> {
        let mut all = BTreeMap::new();
        for Owner { session, wanted } in &self.owners {
            for (name, wanted) in wanted {
                all.insert(name.clone(), (session.clone(), wanted.clone()));
            }
        }
        all
    }

    /// Returns whether a session uses this directory, or it holds entries of no session.
    pub(crate) fn concerns(&self, session: &str) -> bool {
        let wanted = self.wanted();
        self.owners.iter().any(|owner| owner.session == session)
            || self.entries.keys().any(|name| !wanted.contains_key(name))
    }

    /// Notes what a session wants from now on, instead of what it wanted before.
    pub(crate) fn admit(&mut self, session: &str, wanted: BTreeMap<String, Wanted>) {
        self.owners.retain(|owner| owner.session != session);
        if !wanted.is_empty() {
            self.owners.push(Owner { session: session.to_owned(), wanted });
        }
    }
}
