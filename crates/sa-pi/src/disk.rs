//! The files in which the CLI keeps conversations: one JSON object a line, the first of which names the directory.

use sa_acp::open_plain;
use serde_json::Value;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Lines that are searched for the first prompt.
const SEARCHED: usize = 50;

/// Bytes that are searched for it.
const SEARCHED_BYTES: u64 = 4 << 20;

/// Sessions that are listed, the newest first.
const LISTED: usize = 200;

/// A conversation that the CLI has stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    pub id: String,
    pub file: PathBuf,
    /// The directory in which the CLI works on it.
    pub cwd: PathBuf,
    /// The first line of the first prompt.
    pub title: Option<String>,
    /// The time of the last change, since 1970.
    pub updated: Option<std::time::Duration>,
}

pub trait SessionFiles: fmt::Debug + Send {
    /// Returns the conversations of a directory, or all of them, the newest first.
    fn list(&self, cwd: Option<&Path>) -> Vec<StoredSession>;

    /// Returns the conversation of that session.
    fn find(&self, id: &str) -> Option<StoredSession>;

    /// Removes the conversation of that session, if there is one.
    fn delete(&self, id: &str) -> io::Result<()>;
}

/// The files below the CLI's directory.
#[derive(Debug)]
pub(super) struct LocalFiles {
    pub(super) sessions: PathBuf,
}

impl LocalFiles {
    /// Returns all files with the ids of their sessions: `<time>_<id>.jsonl` in a folder for each directory.
    fn files(&self) -> Vec<(String, PathBuf)> {
        let entries =
            |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = entries(&self.sessions).flat_map(|folder| entries(&folder).collect::<Vec<_>>());
        let with_id = |file: PathBuf| {
            let (_, id) = file.file_stem()?.to_str()?.rsplit_once('_')?;
            (file.extension()? == "jsonl").then(|| (id.to_owned(), file.clone()))
        };
        files.filter_map(with_id).collect()
    }
}

impl SessionFiles for LocalFiles {
    fn list(&self, cwd: Option<&Path>) -> Vec<StoredSession> {
        let mut files = self.files();
        // Names begin with the time.
        files.sort_by(|(_, one), (_, other)| other.file_name().cmp(&one.file_name()));
        let read = files.into_iter().filter_map(|(id, file)| read(id, file).ok().flatten());
        read.filter(|stored| cwd.is_none_or(|cwd| *cwd == stored.cwd)).take(LISTED).collect()
    }

    fn find(&self, id: &str) -> Option<StoredSession> {
        let (id, file) = self.files().into_iter().find(|(known, _)| known == id)?;
        read(id, file).ok().flatten()
    }

    fn delete(&self, id: &str) -> io::Result<()> {
        match self.files().into_iter().find(|(known, _)| known == id) {
            Some((_, file)) => fs::remove_file(file),
            None => Ok(()),
        }
    }
}

/// Reads the head of a file; `None` if it is no conversation.
fn read(id: String, file: PathBuf) -> io::Result<Option<StoredSession>> {
    let input = open_plain(&file)?;
    let modified = input.metadata()?.modified().ok();
    let updated = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let mut lines = BufReader::new(input.take(SEARCHED_BYTES)).lines().take(SEARCHED).map_while(Result::ok);
    let mut next = || serde_json::from_str::<Value>(&lines.next()?).ok();
    let header = next().unwrap_or_default();
    let Some(cwd) = header["cwd"].as_str().map(PathBuf::from).filter(|_| header["type"] == "session") else {
        return Ok(None);
    };
    let prompt = std::iter::from_fn(next).find(|line| line["message"]["role"] == "user");
    let title = prompt.and_then(|line| {
        let content = &line["message"]["content"];
        let text = content.as_str().or_else(|| content[0]["text"].as_str())?;
        text.lines().map(str::trim).find(|line| !line.is_empty()).map(sa_acp::one_line)
    });
    Ok(Some(StoredSession { id, file, cwd, title, updated }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn conversations_are_found_by_the_names_of_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = LocalFiles { sessions: folder.path().to_owned() };
        let place = folder.path().join("--project--");
        fs::create_dir_all(&place).unwrap();
        let header = r#"{"type":"session","version":3,"id":"x","cwd":"/project"}"#;
        let prompt = r#"{"type":"message","message":{"role":"user","content":[{"type":"text","text":"\nhello\nyou"}]}}"#;
        fs::write(place.join("2026-01-01T00-00-00-000Z_a-1.jsonl"), format!("{header}\n{prompt}\n")).unwrap();
        fs::write(place.join("2026-01-02T00-00-00-000Z_b-2.jsonl"), format!("{header}\n")).unwrap();
        fs::write(place.join("2026-01-03T00-00-00-000Z_c-3.jsonl"), "no conversation\n").unwrap();
        let listed: Vec<_> = files.list(None).into_iter().map(|stored| (stored.id, stored.title)).collect();
        assert_eq!(listed, [("b-2".to_owned(), None), ("a-1".to_owned(), Some("hello".to_owned()))]);
        assert!(files.list(Some(Path::new("/other"))).is_empty());
        assert_eq!(files.find("a-1").unwrap().cwd, Path::new("/project"));
        files.delete("a-1").unwrap();
        files.delete("unknown").unwrap();
        assert!(files.find("a-1").is_none());
    }
}
