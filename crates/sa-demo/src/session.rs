//! One session: what it is about, what is set, what was said, and the prompts it works on, one after the other.

use super::config::{Select, Settings};
use super::content::Prompt;
use super::core::{Call, Core};
use super::history::{Header, History, Saved};
use super::turn::Turn;
use agent_client_protocol_schema::v1::{
    ConfigOptionUpdate, CurrentModeUpdate, McpServer, SessionId, SessionInfo, SessionInfoUpdate,
    SessionUpdate, StopReason,
};
use sa_acp::{RequestKey, timestamp};
use sa_jsonrpc::Id;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

/// Prompts that may wait behind the running one.
pub(super) const MAX_QUEUE: usize = 128;

/// See the module's comment.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) cwd: PathBuf,
    pub(super) additional_directories: Vec<PathBuf>,
    pub(super) mcp_servers: Vec<McpServer>,
    pub(super) title: Option<String>,
    pub(super) settings: Settings,
    /// What the client decided for good: the subject of a permission, and whether it was granted.
    pub(super) remembered: BTreeMap<String, bool>,
    pub(super) history: History,
    pub(super) used_tokens: u64,
    pub(super) created: Duration,
    updated: Duration,
    /// A session that was closed, or only read from storage, takes no prompt until it is loaded or resumed.
    pub(super) open: bool,
    last_number: u64,
    pub(super) turn: Option<Turn>,
    queue: VecDeque<Prompt>,
}

impl Session {
    pub(super) fn new(id: SessionId, cwd: PathBuf, now: Duration) -> Self {
        Self {
            id,
            cwd,
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
            title: None,
            settings: Settings::default(),
            remembered: BTreeMap::new(),
            history: History::default(),
            used_tokens: 0,
            created: now,
            updated: now,
            open: true,
            last_number: 0,
            turn: None,
            queue: VecDeque::new(),
        }
    }

    /// A session that goes its own way from here on.
    pub(super) fn fork(&self, id: SessionId, cwd: PathBuf, now: Duration) -> Self {
        Self {
            title: self.title.as_ref().map(|title| format!("{title} (fork)")),
            settings: self.settings.clone(),
            remembered: self.remembered.clone(),
            history: self.history.clone(),
            used_tokens: self.used_tokens,
            last_number: self.last_number,
            ..Self::new(id, cwd, now)
        }
    }

    pub(super) fn from_saved(saved: Saved) -> Self {
        let Header { session_id, cwd, created_ms, updated_ms, .. } = saved.header;
        Self {
            additional_directories: saved.header.additional_directories,
            title: saved.header.title,
            settings: saved.header.settings,
            remembered: saved.header.remembered,
            history: saved.history,
            used_tokens: saved.header.used_tokens,
            updated: Duration::from_millis(updated_ms),
            open: false,
            last_number: saved.header.last_number,
            ..Self::new(session_id, cwd, Duration::from_millis(created_ms))
        }
    }

    pub(super) fn to_saved(&self) -> Saved {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let header = Header {
            session_id: self.id.clone(),
            cwd: self.cwd.clone(),
            additional_directories: self.additional_directories.clone(),
            title: self.title.clone(),
            settings: self.settings.clone(),
            remembered: self.remembered.clone(),
            created_ms: milliseconds(self.created),
            updated_ms: milliseconds(self.updated),
            last_number: self.last_number,
            used_tokens: self.used_tokens,
        };
        Saved { header, history: self.history.clone() }
    }

    /// As `session/list` shows it.
    pub(super) fn info(&self) -> SessionInfo {
        SessionInfo::new(self.id.clone(), self.cwd.clone())
            .additional_directories(self.additional_directories.clone())
            .title(self.title.clone())
            .updated_at(timestamp(self.updated))
    }

    /// An id that nothing else in this session has.
    pub(super) fn next_id(&mut self, prefix: &str) -> String {
        self.last_number += 1;
        format!("{prefix}_{}", self.last_number)
    }

    /// Tells the client something, and keeps it if it is part of the conversation.
    pub(super) fn emit(&mut self, core: &mut Core, update: &SessionUpdate) {
        self.history.record(update);
        core.client.update(&self.id, update);
    }

    /// Gives the session a title and tells the client.
    pub(super) fn rename(&mut self, core: &mut Core, title: String) {
        self.touch(core);
        let update = SessionInfoUpdate::new().title(title.clone()).updated_at(timestamp(self.updated));
        self.title = Some(title);
        core.client.update(&self.id, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Notes that something happened now.
    pub(super) fn touch(&mut self, core: &Core) {
        self.updated = core.now.unix;
    }

    /// Tells the client that a setting is another now. The mode has two forms, both of which have to follow.
    pub(super) fn announce(&self, core: &mut Core, select: Select) {
        if select == Select::Mode {
            let mode = self.settings.get(Select::Mode).to_owned();
            core.client.update(&self.id, &SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)));
        }
        let options = self.settings.options(&core.client.handshake);
        core.client.update(&self.id, &SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(options)));
    }

    /// Takes a prompt: starts on it, or puts it behind the ones before; `false` if too many wait.
    pub(super) fn prompt(&mut self, core: &mut Core, prompt: Prompt) -> bool {
        if self.queue.len() >= MAX_QUEUE {
            return false;
        }
        self.queue.push_back(prompt);
        self.start_next(core);
        true
    }

    /// Starts on the next prompt if none is worked on.
    pub(super) fn start_next(&mut self, core: &mut Core) {
        if self.turn.is_some() {
            return;
        }
        let Some(prompt) = self.queue.pop_front() else { return };
        let turn = Turn::start(self, prompt);
        self.turn = Some(turn);
        self.touch(core);
        core.save(self);
    }

    /// Cancels all prompts, running and waiting. A turn that ignores it for a while goes on, unless `force`.
    pub(super) fn cancel(&mut self, core: &mut Core, force: bool) {
        match self.turn.take() {
            Some(mut turn) if turn.is_shielded() && !force => {
                turn.cancel_later();
                self.turn = Some(turn);
            }
            Some(turn) => turn.finish(self, core, Ok(StopReason::Cancelled)),
            None => {}
        }
        for prompt in std::mem::take(&mut self.queue) {
            core.client.prompt_done(&prompt.key, StopReason::Cancelled, None);
        }
    }

    /// Cancels the one prompt that was sent as the request `id`; `false` if it is none of this session's.
    pub(super) fn cancel_request(&mut self, core: &mut Core, id: &Id) -> bool {
        let is_it = |key: &RequestKey| key.id == *id;
        if let Some(turn) = self.turn.take_if(|turn| is_it(&turn.key)) {
            if turn.is_shielded() {
                self.turn.insert(turn).cancel_later();
            } else {
                turn.finish(self, core, Ok(StopReason::Cancelled));
                self.start_next(core);
            }
            return true;
        }
        let Some(index) = self.queue.iter().position(|prompt| is_it(&prompt.key)) else { return false };
        if let Some(prompt) = self.queue.remove(index) {
            core.client.prompt_done(&prompt.key, StopReason::Cancelled, None);
        }
        true
    }

    /// Sends a request to the client on behalf of this session.
    pub(super) fn call(&self, core: &mut Core, call: Call) -> i64 {
        core.call(&self.id, call)
    }
}
