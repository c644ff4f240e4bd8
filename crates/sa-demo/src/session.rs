//! One session: what it is about, what is set, what was said, and the prompts it works on, one after the other.

use super::config::Select;
use super::content::Prompt;
use super::core::{Call, Core};
use super::history::{Header, History, Saved, milliseconds};
use super::turn::Turn;
use agent_client_protocol_schema::v1::{
    McpServer, SessionId, SessionInfo, SessionInfoUpdate, SessionUpdate, StopReason,
};
use sa_acp::RequestKey;
use sa_jsonrpc::Id;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

/// Prompts that may wait behind the running one.
pub(super) const MAX_QUEUE: usize = 128;

#[derive(Debug)]
pub(super) struct Session {
    /// The stored part of the session, apart from its history.
    pub(super) about: Header,
    pub(super) mcp_servers: Vec<McpServer>,
    pub(super) history: History,
    /// A session that was closed, or only read from storage, takes no prompt until it is loaded or resumed.
    pub(super) open: bool,
    pub(super) turn: Option<Turn>,
    queue: VecDeque<Prompt>,
}

impl Session {
    pub(super) fn new(id: SessionId, cwd: PathBuf, now: Duration) -> Self {
        let header = Header::new(id, cwd, now);
        Self { open: true, ..Self::from_saved(Saved { header, history: History::default() }) }
    }

    /// A session that goes its own way from here on.
    pub(super) fn fork(&self, id: SessionId, cwd: PathBuf, now: Duration) -> Self {
        let header = Header {
            title: self.about.title.as_ref().map(|title| format!("{title} (fork)")),
            settings: self.about.settings.clone(),
            remembered: self.about.remembered.clone(),
            used_tokens: self.about.used_tokens,
            last_number: self.about.last_number,
            ..Header::new(id, cwd, now)
        };
        Self { open: true, ..Self::from_saved(Saved { header, history: self.history.clone() }) }
    }

    pub(super) fn from_saved(saved: Saved) -> Self {
        let Saved { header: about, history } = saved;
        Self { about, mcp_servers: Vec::new(), history, open: false, turn: None, queue: VecDeque::new() }
    }

    pub(super) fn to_saved(&self) -> Saved {
        Saved { header: self.about.clone(), history: self.history.clone() }
    }

    /// As `session/list` shows it.
    pub(super) fn info(&self) -> SessionInfo {
        SessionInfo::new(self.about.id.clone(), self.about.cwd.clone())
            .additional_directories(self.about.additional_directories.clone())
            .title(self.about.title.clone())
            .updated_at(self.about.updated())
    }

    /// An id that nothing else in this session has.
    pub(super) fn next_id(&mut self, prefix: &str) -> String {
        self.about.last_number += 1;
        format!("{prefix}_{}", self.about.last_number)
    }

    /// Reports an update, and keeps it if it is part of the conversation.
    pub(super) fn emit(&mut self, core: &mut Core, update: &SessionUpdate) {
        self.history.record(update);
        core.client.update(&self.about.id, update);
    }

    /// Sets the title and reports it.
    pub(super) fn rename(&mut self, core: &mut Core, title: String) {
        self.touch(core);
        let update = SessionInfoUpdate::new().title(title.clone()).updated_at(self.about.updated());
        self.about.title = Some(title);
        core.client.update(&self.about.id, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Notes that something happened now.
    pub(super) fn touch(&mut self, core: &Core) {
        self.about.updated_ms = milliseconds(core.now.unix);
    }

    /// Reports a change of a setting. The mode has two forms, and both are reported.
    pub(super) fn announce(&self, core: &mut Core, select: Select) {
        let (id, settings) = (&self.about.id, &self.about.settings);
        let options = settings.options(&core.client.handshake);
        match select {
            Select::Mode => core.client.mode_changed(id, settings.get(Select::Mode), options),
            Select::Model | Select::Effort => core.client.options_changed(id, options),
        }
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

    /// Cancels all prompts, running and waiting. A turn that ignores cancellation for a while continues.
    pub(super) fn cancel(&mut self, core: &mut Core) {
        match &mut self.turn {
            Some(turn) if turn.is_shielded() => {
                turn.cancel_later();
                self.cancel_queue(core);
            }
            _ => self.cancel_now(core),
        }
    }

    /// Cancels all prompts, running and waiting.
    pub(super) fn cancel_now(&mut self, core: &mut Core) {
        if let Some(turn) = self.turn.take() {
            turn.finish(self, core, Ok(StopReason::Cancelled));
        }
        self.cancel_queue(core);
    }

    fn cancel_queue(&mut self, core: &mut Core) {
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
        core.call(&self.about.id, call)
    }
}
