//! Where entries are kept: one file for each directory and kind.

use crate::ConfigError;
use sa_api::{ConfigEntry, McpServerConfig, SkillsConfig};
use sa_disk::{Durability, FileLock, at, try_on_disk, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A JSON object.
pub type Object = Map<String, Value>;

/// Entries of one directory that may exist.
const ENTRIES: usize = 1024;
/// Characters of a name.
const NAME_CHARS: usize = 128;
/// The most bytes that are read of one file.
const READ_BYTES: usize = 64 * 1024 * 1024;
/// Largest document that is written; smaller than the largest that is read.
const WRITTEN_BYTES: usize = 4 * 1024 * 1024;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigKind {
    Mcp,
    Skills,
}

impl ConfigKind {
    fn file(self) -> &'static str {
        match self {
            Self::Mcp => "mcp.json",
            Self::Skills => "skills.json",
        }
    }

    /// Returns the name of one entry, for messages.
    fn noun(self) -> &'static str {
        match self {
            Self::Mcp => "MCP server",
            Self::Skills => "set of skills",
        }
    }

    fn normalize(self, entry: Object) -> Result<Object, ConfigError> {
        let normalized = match self {
            Self::Mcp => McpServerConfig::normalize(entry),
            Self::Skills => SkillsConfig::normalize(entry),
        };
        normalized.map_err(|invalid| ConfigError::Invalid(invalid.to_string()))
    }
}

/// Configuration by directory, kind and name. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ConfigStore {
    home: Arc<Path>,
}

/// The entries of one kind that are kept for one directory.
#[derive(Debug)]
pub struct DirectoryConfig {
    home: Arc<Path>,
    kind: ConfigKind,
    directory: PathBuf,
}

type Entries = BTreeMap<String, Object>;

/// The contents of one file.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    /// The directory that it is for, for people who look.
    directory: String,
    entries: Entries,
}

impl ConfigStore {
    /// Creates a store in a directory, which is made when it is needed.
    pub fn new(home: PathBuf) -> Self {
        Self { home: home.into() }
    }

    /// Returns the entries of a directory. Nothing is read yet.
    pub fn of(&self, kind: ConfigKind, directory: &Path) -> DirectoryConfig {
        DirectoryConfig { home: Arc::clone(&self.home), kind, directory: cleaned(directory) }
    }
}

impl DirectoryConfig {
    /// Returns all entries, by name.
    pub async fn list(self) -> Result<Entries, ConfigError> {
        self.with(|entries| (entries.clone(), false)).await
    }

    /// Returns one entry.
    pub async fn get(self, name: String) -> Result<Object, ConfigError> {
        let (noun, directory) = (self.kind.noun(), self.directory.to_string_lossy());
        let missing = format!("there is no {noun} '{name}' for '{directory}'");
        let entry = self.with(move |entries| (entries.remove(&name), false)).await?;
        entry.ok_or(ConfigError::Missing(missing))
    }

    /// Adds an entry or replaces it, once it is found to be right.
    pub async fn put(self, name: String, entry: Object) -> Result<(), ConfigError> {
        check_name(&name)?;
        let entry = self.kind.normalize(entry)?;
        let full = self.with(move |entries| {
            let full = entries.len() >= ENTRIES && !entries.contains_key(&name);
            if !full {
                entries.insert(name, entry);
            }
            (full, !full)
        });
        if full.await? {
            return Err(ConfigError::TooMany(format!("a directory has at most {ENTRIES} entries")));
        }
        Ok(())
    }

    /// Removes an entry. One that does not exist is removed already.
    pub async fn delete(self, name: String) -> Result<(), ConfigError> {
        self.with(move |entries| ((), entries.remove(&name).is_some())).await
    }

    /// Looks at the entries, and writes them back if they were changed.
    async fn with<T: Send + 'static>(
        self,
        change: impl FnOnce(&mut Entries) -> (T, bool) + Send + 'static,
    ) -> Result<T, ConfigError> {
        try_on_disk(self.directory.clone(), move || self.update(change)).await
    }

    fn update<T>(self, change: impl FnOnce(&mut Entries) -> (T, bool)) -> Result<T, ConfigError> {
        let Self { home, kind, directory } = self;
        let folder = home.join(folder(&directory));
        let path = folder.join(kind.file());
        std::fs::create_dir_all(&home).map_err(at(&*home))?;
        // Other requests wait here, and so does another daemon with the same data directory.
        let _lock = FileLock::take_blocking(&home.join(".lock"))?;
        let mut entries = read(&path)?;
        let (outcome, changed) = change(&mut entries);
        if changed {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(at(&folder))?;
            write(&path, &Document { directory: directory.to_string_lossy().into_owned(), entries })?;
        }
        Ok(outcome)
    }
}

fn read(path: &Path) -> Result<Entries, ConfigError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Entries::new()),
        other => other.map_err(at(path))?,
    };
    let mut text = Vec::new();
    file.take(READ_BYTES as u64 + 1).read_to_end(&mut text).map_err(at(path))?;
    if text.len() > READ_BYTES {
        let reason = format!("the file is larger than {READ_BYTES} bytes");
        return Err(at(path)(io::Error::other(reason)).into());
    }
    let document: Document = serde_json::from_slice(&text).map_err(at(path))?;
    Ok(document.entries)
}

/// Replaces the file, which only its owner may read.
fn write(path: &Path, document: &Document) -> Result<(), ConfigError> {
    let text = serde_json::to_vec_pretty(document).map_err(at(path))?;
    if text.len() > WRITTEN_BYTES {
        return Err(ConfigError::TooLarge(format!(
            "the entries of a directory take more than {WRITTEN_BYTES} bytes together"
        )));
    }
    // An entry may be nested as deep as a body; in the document it is deeper.
    if let Err(error) = serde_json::from_slice::<Document>(&text) {
        return Err(ConfigError::Invalid(format!("the entry cannot be kept: {error}")));
    }
    Ok(write_atomic(path, &text, 0o600, Durability::Ordered)?)
}

/// Returns the name of a directory's own folder in the store.
fn folder(directory: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let digest = Sha256::digest(directory.as_os_str().as_bytes());
    hex::encode(digest.get(..16).unwrap_or_default())
}

/// Returns a directory by its one name: without `.`, `..`, and slashes at the end. Nothing is looked up, so that the
/// name stays the same whether the directory exists yet or not.
pub fn cleaned(directory: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in directory.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

fn check_name(name: &str) -> Result<(), ConfigError> {
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(ConfigError::Invalid(format!(
            "a name has 1 to {NAME_CHARS} characters, none of them a control character"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_name() {
        for (given, name) in [
            ("/a/b", "/a/b"),
            ("/a/b/", "/a/b"),
            ("/a/./b//", "/a/b"),
            ("/a/../b", "/b"),
            ("/a/b/../../../c", "/c"),
            ("/..", "/"),
        ] {
            assert_eq!(cleaned(Path::new(given)), Path::new(name), "{given}");
        }
    }
}
