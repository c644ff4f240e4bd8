//! The sessions that there are, latest first, a page at a time.

use super::TranscriptError;
use super::lines::Lines;
use super::speech::Speech;
use super::store::{all_projects, is_session_id, project};
use agent_client_protocol_schema::v1::{SessionId, SessionInfo};
use sa_acp::{one_line, read_plain};
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Sessions of a page.
const PAGE: usize = 50;

/// As much of a transcript is searched from its start for the folder and the first words.
const START: u64 = 4 << 20;

/// As much of its end for a title that was given later.
const END: u64 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) sessions: Vec<SessionInfo>,
    /// The start of the next page, if there may be one.
    pub(crate) next: Option<String>,
}

/// A transcript, by what the folder says of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    /// Milliseconds since 1970.
    changed: Reverse<u64>,
    id: String,
    path: PathBuf,
}

impl Found {
    /// Returns what a cursor says: the last session of a page. Sessions that changed meanwhile move to the front, and
    /// no other is listed twice or left out for it.
    fn cursor(&self) -> String {
        format!("{}:{}", self.changed.0, self.id)
    }

    fn is_after(&self, changed: u64, id: &str) -> bool {
        (self.changed, self.id.as_str()) > (Reverse(changed), id)
    }
}

/// Lists the sessions of one folder, or of all, after `cursor`.
pub(crate) fn list(config: &Path, cwd: Option<&Path>, cursor: Option<&str>) -> Result<Page, TranscriptError> {
    let after = cursor.map(|cursor| parse(cursor).ok_or(TranscriptError::BadCursor)).transpose()?;
    let folders = cwd.map_or_else(|| all_projects(config), |cwd| vec![project(config, cwd)]);
    let mut found: Vec<Found> = folders.iter().flat_map(|folder| transcripts(folder)).collect();
    if let Some((changed, id)) = after {
        found.retain(|found| found.is_after(changed, id));
    }
    found.sort();
    let cwd = cwd.map(resolved);
    let mut page = Page { sessions: Vec::new(), next: None };
    let mut found = found.into_iter().peekable();
    while let Some(next) = found.next() {
        // Names of folders are not unique, so the transcript has to say it as well.
        let info = info(&next).filter(|info| cwd.as_ref().is_none_or(|cwd| resolved(&info.cwd) == *cwd));
        page.sessions.extend(info);
        if page.sessions.len() == PAGE {
            page.next = found.peek().is_some().then(|| next.cursor());
            break;
        }
    }
    Ok(page)
}

fn parse(cursor: &str) -> Option<(u64, &str)> {
    let (changed, id) = cursor.split_once(':')?;
    Some((changed.parse().ok()?, id))
}

fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn transcripts(folder: &Path) -> Vec<Found> {
    let found = |entry: fs::DirEntry| {
        let path = entry.path();
        let id = path.file_stem()?.to_str().filter(|id| is_session_id(id))?.to_owned();
        let is_ours = path.extension().is_some_and(|extension| extension == "jsonl");
        let metadata = entry.metadata().ok().filter(|metadata| is_ours && metadata.is_file())?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Found { changed: Reverse(u64::try_from(changed.as_millis()).ok()?), id, path })
    };
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(found).collect()
}

/// Returns the session of a transcript; `None` if nothing was said in it.
fn info(found: &Found) -> Option<SessionInfo> {
    let mut facts = Facts::default();
    let file = File::open(&found.path).ok()?;
    facts.read_start(file.try_clone().ok()?).ok()?;
    let cwd = facts.cwd.take().filter(|_| facts.is_conversation)?;
    facts.read_end(file).ok()?;
    let named = read_plain(&found.path.with_extension("").join("custom-title.json"), END).ok();
    facts.read_line(&named.unwrap_or_default());
    let updated = sa_acp::timestamp(Duration::from_millis(found.changed.0));
    Some(
        SessionInfo::new(SessionId::new(found.id.clone()), cwd)
            .title(facts.given.or(facts.made).or(facts.first).map(|title| one_line(&title)))
            .updated_at(updated),
    )
}

/// The facts about a session in its lines.
#[derive(Debug, Default)]
struct Facts {
    cwd: Option<PathBuf>,
    is_conversation: bool,
    /// The title that a person gave.
    given: Option<String>,
    /// The one that a model made.
    made: Option<String>,
    /// The first words.
    first: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    cwd: Option<String>,
    is_meta: bool,
    is_sidechain: bool,
    is_compact_summary: bool,
    message: Option<Message>,
    custom_title: Option<String>,
    ai_title: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

impl Facts {
    fn read_start(&mut self, file: File) -> io::Result<()> {
        let mut lines = Lines::new(file, 0)?;
        while lines.position() < START && (self.cwd.is_none() || self.first.is_none()) {
            let Some(line) = lines.next()? else { break };
            self.read_line(&line.bytes);
        }
        Ok(())
    }

    fn read_end(&mut self, mut file: File) -> io::Result<()> {
        let start = file.metadata()?.len().saturating_sub(END);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(END).read_to_end(&mut bytes)?;
        // The first may be the end of a line only, and then is no JSON.
        bytes.split(|byte| *byte == b'\n').for_each(|line| self.read_line(line));
        Ok(())
    }

    fn read_line(&mut self, line: &[u8]) {
        let Ok(entry) = serde_json::from_slice::<Entry>(line) else { return };
        self.given = entry.custom_title.or(self.given.take());
        self.made = entry.ai_title.or(entry.summary).or(self.made.take());
        if entry.is_sidechain {
            return;
        }
        self.cwd = self.cwd.take().or(entry.cwd.map(PathBuf::from));
        self.is_conversation |= matches!(entry.kind.as_str(), "user" | "assistant");
        if entry.kind == "user" && !entry.is_meta && !entry.is_compact_summary && self.first.is_none() {
            self.first = entry.message.and_then(|message| first_words(&message.content));
        }
    }
}

fn first_words(content: &Value) -> Option<String> {
    let words = |text: &str| match Speech::read(text) {
        Speech::Said(words) => Some(words),
        _ => None,
    };
    match content {
        Value::String(text) => words(text),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).find_map(words),
        _ => None,
    }
}
