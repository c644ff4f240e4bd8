//! The history of a session: kept so that it can be replayed, within a bound, and written so that it can be stored.

use super::config::Settings;
use agent_client_protocol_schema::v1::{ContentBlock, ContentChunk, SessionId, SessionUpdate};
use sa_acp::timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of history that are kept per session; beyond it the oldest entries go.
const LIMIT: usize = 4 << 20;

/// Chunks of one message are kept as one entry up to this size.
const JOIN: usize = 256 << 10;

/// The size of an entry in addition to its text, roughly.
const OVERHEAD: usize = 128;

#[derive(Debug, Clone)]
struct Entry {
    update: SessionUpdate,
    bytes: usize,
}

/// The updates to replay, folded: one entry per message, per tool call and per plan of a turn.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    entries: VecDeque<Entry>,
    bytes: usize,
}

impl History {
    /// Keeps an update if it is part of the conversation. State (usage, mode, commands) is not.
    pub(super) fn record(&mut self, update: &SessionUpdate) {
        if self.fold(update) {
            return self.trim();
        }
        if let SessionUpdate::UserMessageChunk(_)
        | SessionUpdate::AgentMessageChunk(_)
        | SessionUpdate::AgentThoughtChunk(_)
        | SessionUpdate::ToolCall(_)
        | SessionUpdate::Plan(_) = update
        {
            let bytes = weight(update);
            self.bytes += bytes;
            self.entries.push_back(Entry { update: update.clone(), bytes });
            self.trim();
        }
    }

    /// Works an update into an entry that is there already.
    fn fold(&mut self, update: &SessionUpdate) -> bool {
        let entry = match update {
            SessionUpdate::ToolCallUpdate(change) => self.entries.iter_mut().rev().find(|entry| {
                matches!(&entry.update, SessionUpdate::ToolCall(call) if call.tool_call_id == change.tool_call_id)
            }),
            SessionUpdate::Plan(_) => {
                self.entries.back_mut().filter(|entry| matches!(entry.update, SessionUpdate::Plan(_)))
            }
            _ => self.entries.back_mut().filter(|entry| entry.bytes < JOIN),
        };
        let Some(entry) = entry else { return false };
        let folded = match (&mut entry.update, update) {
            (SessionUpdate::ToolCall(call), SessionUpdate::ToolCallUpdate(change)) => {
                call.update(change.fields.clone());
                true
            }
            (SessionUpdate::Plan(old), SessionUpdate::Plan(new)) => {
                *old = new.clone();
                true
            }
            (SessionUpdate::AgentMessageChunk(old), SessionUpdate::AgentMessageChunk(new))
            | (SessionUpdate::AgentThoughtChunk(old), SessionUpdate::AgentThoughtChunk(new)) => {
                append(old, new)
            }
            _ => false,
        };
        if folded {
            let bytes = weight(&entry.update);
            self.bytes = self.bytes - entry.bytes + bytes;
            entry.bytes = bytes;
        }
        folded
    }

    fn trim(&mut self) {
        while self.bytes > LIMIT && self.entries.len() > 1 {
            self.bytes -= self.entries.pop_front().map_or(0, |entry| entry.bytes);
        }
    }

    /// The updates, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &SessionUpdate> {
        self.entries.iter().map(|entry| &entry.update)
    }
}

impl FromIterator<SessionUpdate> for History {
    fn from_iter<I: IntoIterator<Item = SessionUpdate>>(updates: I) -> Self {
        let mut history = Self::default();
        updates.into_iter().for_each(|update| history.record(&update));
        history
    }
}

/// Adds the text of a chunk to the one before, if both belong to one message.
fn append(old: &mut ContentChunk, new: &ContentChunk) -> bool {
    match (&mut old.content, &new.content) {
        (ContentBlock::Text(text), ContentBlock::Text(more)) if old.message_id == new.message_id => {
            text.text.push_str(&more.text);
            true
        }
        _ => false,
    }
}

fn weight(update: &SessionUpdate) -> usize {
    let (SessionUpdate::UserMessageChunk(chunk)
    | SessionUpdate::AgentMessageChunk(chunk)
    | SessionUpdate::AgentThoughtChunk(chunk)) = update
    else {
        return serde_json::to_vec(update).map_or(OVERHEAD, |json| json.len());
    };
    match &chunk.content {
        ContentBlock::Text(text) => OVERHEAD + text.text.len(),
        other => serde_json::to_vec(other).map_or(OVERHEAD, |json| OVERHEAD + json.len()),
    }
}

/// A session as it is stored: a line of JSON about it, then one line per update of its history.
#[derive(Debug, Clone)]
pub struct Saved {
    pub(super) header: Header,
    pub(super) history: History,
}

/// The first line of a stored session. MCP servers are not part of it: a client gives them again, and they may hold secrets.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    #[serde(rename = "sessionId")]
    pub(super) id: SessionId,
    pub(super) cwd: PathBuf,
    pub(super) additional_directories: Vec<PathBuf>,
    pub(super) title: Option<String>,
    pub(super) settings: Settings,
    /// Lasting decisions of the client: the subject of a permission, and whether it was granted.
    pub(super) remembered: BTreeMap<String, bool>,
    pub(super) created_ms: u64,
    pub(super) updated_ms: u64,
    pub(super) last_number: u64,
    pub(super) used_tokens: u64,
}

impl Header {
    pub(super) fn new(id: SessionId, cwd: PathBuf, now: Duration) -> Self {
        Self {
            id,
            cwd,
            additional_directories: Vec::new(),
            title: None,
            settings: Settings::default(),
            remembered: BTreeMap::new(),
            created_ms: milliseconds(now),
            updated_ms: milliseconds(now),
            last_number: 0,
            used_tokens: 0,
        }
    }

    /// Returns the time of the last change, as clients read it.
    pub(super) fn updated(&self) -> String {
        timestamp(Duration::from_millis(self.updated_ms))
    }
}

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Saved {
    pub fn session_id(&self) -> &SessionId {
        &self.header.id
    }

    /// The lines to store.
    pub fn to_jsonl(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut lines = serde_json::to_vec(&self.header)?;
        lines.push(b'\n');
        for update in self.history.iter() {
            serde_json::to_writer(&mut lines, update)?;
            lines.push(b'\n');
        }
        Ok(lines)
    }

    /// Reads stored lines. An update that cannot be read, say of a later version, is left out.
    pub fn from_jsonl(lines: &str) -> Result<Self, serde_json::Error> {
        let mut lines = lines.lines();
        let header = serde_json::from_str(lines.next().unwrap_or_default())?;
        let history = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { header, history })
    }
}
