//! Where entries are kept: one file for each directory and kind.

use super::{mcp, skills};
use crate::error::{At, FilesError};
use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A JSON object.
pub type Object = Map<String, Value>;

/// Entries of one directory that may exist.
const ENTRIES: usize = 1024;
/// Characters of a name.
const NAME_CHARS: usize = 128;
/// What is read of one file.
const READ_BYTES: usize = 64 * 1024 * 1024;
/// Largest document that is written; smaller than the largest that is read.
const WRITTEN_BYTES: usize = 4 * 1024 * 1024;

/// What is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigKind {
    /// MCP servers.
    Mcp,
    /// Skills.
    Skills,
}

impl ConfigKind {
    fn file(self) -> &'static str {
        match self {
            Self::Mcp => "mcp.json",
            Self::Skills => "skills.json",
        }
    }

    /// What one entry is called, for people.
    fn noun(self) -> &'static str {
        match self {
            Self::Mcp => "MCP server",
            Self::Skills => "set of skills",
        }
    }

    fn normalize(self, entry: Object) -> Result<Object, FilesError> {
        match self {
            Self::Mcp => mcp::normalize(entry),
            Self::Skills => skills::normalize(entry),
        }
    }
}

/// Configuration by directory, kind and name. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ConfigStore(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    home: PathBuf,
    /// Held while something is read and then changed.
    writing: Mutex<()>,
}

type Entries = BTreeMap<String, Object>;

/// What one file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    /// The directory that it is for, for people who look.
    directory: String,
    entries: Entries,
}

impl ConfigStore {
    /// A store in a directory, which is made when it is needed.
    pub fn new(home: PathBuf) -> Self {
        Self(Arc::new(Shared { home, writing: Mutex::new(()) }))
    }

    /// All entries for a directory, by name.
    pub async fn list(
        &self,
        kind: ConfigKind,
        directory: &Path,
    ) -> Result<BTreeMap<String, Object>, FilesError> {
        self.with(kind, directory, |entries| (entries.clone(), false)).await
    }

    /// One entry.
    pub async fn get(&self, kind: ConfigKind, directory: &Path, name: &str) -> Result<Object, FilesError> {
        let entry = self.find(kind, directory, name).await?;
        entry.ok_or_else(|| missing(kind, directory, name))
    }

    async fn find(
        &self,
        kind: ConfigKind,
        directory: &Path,
        name: &str,
    ) -> Result<Option<Object>, FilesError> {
        let name = name.to_owned();
        self.with(kind, directory, move |entries| (entries.get(&name).cloned(), false)).await
    }

    /// Adds an entry or replaces it, once it is found to be right.
    pub async fn put(
        &self,
        kind: ConfigKind,
        directory: &Path,
        name: &str,
        entry: Object,
    ) -> Result<(), FilesError> {
        check_name(name)?;
        let entry = kind.normalize(entry)?;
        let name = name.to_owned();
        let full = self.with(kind, directory, move |entries| {
            let full = entries.len() >= ENTRIES && !entries.contains_key(&name);
            if !full {
                entries.insert(name, entry);
            }
            (full, !full)
        });
        if full.await? {
            return Err(FilesError::TooMany(format!("a directory has at most {ENTRIES} entries")));
        }
        Ok(())
    }

    /// Removes an entry. One that does not exist is removed already.
    pub async fn delete(&self, kind: ConfigKind, directory: &Path, name: &str) -> Result<(), FilesError> {
        let name = name.to_owned();
        self.with(kind, directory, move |entries| ((), entries.remove(&name).is_some())).await
    }

    /// Looks at the entries, and writes them back if they were changed.
    async fn with<T: Send + 'static>(
        &self,
        kind: ConfigKind,
        directory: &Path,
        change: impl FnOnce(&mut Entries) -> (T, bool) + Send + 'static,
    ) -> Result<T, FilesError> {
        let shared = Arc::clone(&self.0);
        let directory = cleaned(directory);
        let done = tokio::task::spawn_blocking(move || {
            let _writing = shared.writing.lock().unwrap_or_else(PoisonError::into_inner);
            update(&shared.home, kind, &directory, change)
        });
        let stopping =
            |_| FilesError::Io { path: "config".to_owned(), reason: "the daemon is stopping".to_owned() };
        done.await.map_err(stopping)?
    }
}

fn update<T>(
    home: &Path,
    kind: ConfigKind,
    directory: &Path,
    change: impl FnOnce(&mut Entries) -> (T, bool),
) -> Result<T, FilesError> {
    let folder = home.join(folder(directory));
    let path = folder.join(kind.file());
    // Another daemon with the same data directory waits here, too.
    let _lock = lock(home)?;
    let mut entries = read(&path)?;
    let (outcome, changed) = change(&mut entries);
    if changed {
        let private = Mode::from_raw_mode(0o700);
        match rustix::fs::mkdirat(CWD, &folder, private) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(errno) => return Err(errno).at(&folder),
        }
        write(&path, &Document { directory: directory.to_string_lossy().into_owned(), entries })?;
    }
    Ok(outcome)
}

fn lock(home: &Path) -> Result<OwnedFd, FilesError> {
    std::fs::create_dir_all(home).at(home)?;
    let path = home.join(".lock");
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(CWD, &path, flags, Mode::from_raw_mode(0o600)).at(&path)?;
    rustix::fs::flock(&fd, FlockOperation::LockExclusive).at(&path)?;
    Ok(fd)
}

fn read(path: &Path) -> Result<Entries, FilesError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Entries::new()),
        other => other.at(path)?,
    };
    let mut text = Vec::new();
    file.take(READ_BYTES as u64 + 1).read_to_end(&mut text).at(path)?;
    if text.len() > READ_BYTES {
        return Err(unusable(path, &format!("the file is larger than {READ_BYTES} bytes")));
    }
    let document: Document = serde_json::from_slice(&text).map_err(|error| unusable(path, &error))?;
    Ok(document.entries)
}

fn unusable(path: &Path, reason: &dyn std::fmt::Display) -> FilesError {
    FilesError::Io { path: path.to_string_lossy().into_owned(), reason: reason.to_string() }
}

/// Writes next to the file, for the owner's eyes only, and renames.
fn write(path: &Path, document: &Document) -> Result<(), FilesError> {
    let text = serde_json::to_vec_pretty(document).map_err(|error| unusable(path, &error))?;
    if text.len() > WRITTEN_BYTES {
        return Err(FilesError::TooLarge(format!(
            "the entries of a directory take more than {WRITTEN_BYTES} bytes together"
        )));
    }
    // An entry may be nested as deep as a body; in the document it is deeper.
    if let Err(error) = serde_json::from_slice::<Document>(&text) {
        return Err(FilesError::Invalid(format!("the entry cannot be kept: {error}")));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let dir = rustix::fs::openat(CWD, folder, crate::root::HOLD, Mode::empty()).at(folder)?;
    let mut draft = crate::draft::Draft::create(dir, Mode::from_raw_mode(0o600)).at(path)?;
    draft.file.write_all(&text).at(path)?;
    draft.file.sync_data().at(path)?;
    draft.replace(path.file_name().unwrap_or_default()).at(path)
}

/// The name of a directory's own folder in the store.
fn folder(directory: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let digest = Sha256::digest(directory.as_os_str().as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A directory by its one name: without `.`, `..`, and slashes at the end. Nothing is looked up, so that the name stays
/// the same whether the directory exists yet or not.
fn cleaned(directory: &Path) -> PathBuf {
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

fn check_name(name: &str) -> Result<(), FilesError> {
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(FilesError::Invalid(format!(
            "a name has 1 to {NAME_CHARS} characters, none of them a control character"
        )));
    }
    Ok(())
}

fn missing(kind: ConfigKind, directory: &Path, name: &str) -> FilesError {
    FilesError::Missing(format!("there is no {} '{name}' for '{}'", kind.noun(), directory.to_string_lossy()))
}
