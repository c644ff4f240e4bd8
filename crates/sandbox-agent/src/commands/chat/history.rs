//! The messages that were typed, kept for later chats in a private file of the data directory.

use crate::commands::draft::{OutputFile, PRIVATE};
use crate::settings::data_dir;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const FILE: &str = "chat-history.jsonl";
/// Entries that are kept.
const MOST_ENTRIES: usize = 1000;
/// Longest entry that is kept, in bytes.
const LONGEST_ENTRY: usize = 16 * 1024;

/// The history. A chat works without one as well, so nothing here fails.
pub(super) struct History {
    path: Option<PathBuf>,
    entries: Vec<String>,
}

impl History {
    pub(super) fn open(given: Option<PathBuf>) -> Self {
        let path = data_dir(given).ok().map(|directory| directory.join(FILE));
        let entries = path.as_deref().map(load).unwrap_or_default();
        Self { path, entries }
    }

    /// The entries, the oldest first.
    pub(super) fn entries(&self) -> Vec<String> {
        self.entries.clone()
    }

    /// Adds an entry, unless it repeats the newest.
    pub(super) fn append(&mut self, entry: &str) {
        if entry.len() > LONGEST_ENTRY || self.entries.last().map(String::as_str) == Some(entry) {
            return;
        }
        self.entries.push(entry.to_owned());
        let Some(path) = &self.path else { return };
        if let Some(directory) = path.parent() {
            let _ = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        }
        let Ok(line) = serde_json::to_string(entry) else { return };
        let file = OpenOptions::new().append(true).create(true).mode(PRIVATE).open(path);
        let _ = file.and_then(|mut file| writeln!(file, "{line}"));
    }
}

/// Reads the newest entries; a file that has grown far beyond them is shortened.
fn load(path: &Path) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let mut entries: Vec<String> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if entries.len() > 2 * MOST_ENTRIES {
        entries.drain(..entries.len() - MOST_ENTRIES);
        let lines: Vec<String> = entries
            .iter()
            .filter_map(|entry| serde_json::to_string(entry).ok())
            .map(|line| line + "\n")
            .collect();
        if let Ok(mut draft) = OutputFile::create(path, PRIVATE)
            && draft.write_all(lines.concat().as_bytes()).is_ok()
        {
            let _ = draft.keep();
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn entries_are_kept_in_a_private_file() {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let mut history = History::open(Some(data.clone()));
        for entry in ["one", "two\nlines", "two\nlines"] {
            history.append(entry);
        }
        assert_eq!(History::open(Some(data.clone())).entries(), ["one", "two\nlines"]);
        let mode = std::fs::metadata(data.join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_long_history_is_shortened() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let lines: String = (0..=2 * MOST_ENTRIES).map(|number| format!("\"{number}\"\n")).collect();
        std::fs::write(&path, lines).unwrap();
        assert_eq!(load(&path).len(), MOST_ENTRIES);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().last(), Some("\"2000\""));
    }
}
