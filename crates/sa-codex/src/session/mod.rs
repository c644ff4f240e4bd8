//! One session: a thread of the app-server, and the prompts that wait for it.
//!
//! ```text
//!  client ──► prompt ──► queue ──► turn ──► requests to the app-server
//!  client ◄── updates, questions ◄── events ◄── notifications, requests of the app-server
//! ```
//!
//! One native turn at a time: a second one would be folded into the first. The app-server may end at any time; the next
//! prompt has another one take the thread up where it was.

mod ask;
mod closing;
mod commands;
mod compaction;
mod events;
mod failing;
mod form;
mod history;
mod mcp;
mod offspring;
mod opening;
mod permission;
mod plan_exit;
mod prompt;
mod question;
mod reviving;
mod settings;
mod speech;
mod stopping;
mod tooling;
mod turn;
mod usage;

pub(crate) use mcp::servers;
pub(crate) use opening::Opening;

use super::core::Core;
use super::launch::Launch;
use super::native::answer::Skill;
use super::native::call::Input;
use agent_client_protocol_schema::v1::{Error, SessionId, SessionInfo, SessionUpdate};
use ask::Ask;
use closing::Closing;
use compaction::Compaction;
use reviving::Link;
use sa_acp::{Asking, Form, How, McpWait, Piece, Queue, RequestKey, Told, failure};
use serde_json::{Map, Value};
use settings::Settings;
use speech::Speech;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// Where a session works, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) cwd: PathBuf,
    pub(crate) directories: Vec<PathBuf>,
    /// In the CLI's own form, by name.
    pub(crate) servers: Map<String, Value>,
    pub(crate) asking: Asking,
}

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: SessionId,
    place: Place,
    /// The thread's own id; another than the session's if the first one was lost before anything was stored of it.
    thread: String,
    /// Whether the CLI has stored something of the thread, so that it can be resumed.
    is_stored: bool,
    link: Link,
    closing: Option<Closing>,
    /// A request that opened the session, to be answered once the commands are sent.
    opening: Option<(RequestKey, How)>,
    /// Whether nothing is left of it.
    gone: bool,
    mcp: McpWait,
    settings: Settings,
    skills: Vec<Skill>,
    queue: Queue<Vec<Input>>,
    turn: Option<Turn>,
    /// The turn that the app-server works on, be it a prompt's or its own.
    native_turn: Option<String>,
    asks: BTreeMap<String, Ask>,
    /// Whether files of the session's directories may be changed without asking.
    edits_allowed: bool,
    speech: Speech,
    tools: Tools,
    meter: Meter,
    compaction: Compaction,
    title: Option<String>,
    /// Whether it has no name from before.
    is_nameless: bool,
    /// Notifications that were not known.
    unknown: u64,
}

impl Session {
    fn new(id: SessionId, place: Place, settings: Settings) -> Self {
        Self {
            thread: id.to_string(),
            id,
            place,
            is_stored: false,
            link: Link::Up,
            closing: None,
            opening: None,
            gone: false,
            mcp: McpWait::default(),
            settings,
            skills: Vec::new(),
            queue: Queue::new(),
            turn: None,
            native_turn: None,
            asks: BTreeMap::new(),
            edits_allowed: false,
            speech: Speech::default(),
            tools: Tools::default(),
            meter: Meter::default(),
            compaction: Compaction::default(),
            title: None,
            is_nameless: false,
            unknown: 0,
        }
    }

    /// Whether the CLI has something of it on disk.
    pub(crate) fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// The thread's own id.
    pub(crate) fn thread(&self) -> &str {
        &self.thread
    }

    /// As `session/list` shows it.
    pub(crate) fn info(&self) -> SessionInfo {
        SessionInfo::new(self.id.clone(), self.place.cwd.clone())
            .additional_directories(self.place.directories.clone())
            .title(self.title.clone())
    }

    /// Whether the open session can be opened again in that place. Its directory can change from turn to turn, but servers
    /// are reached when a thread is loaded.
    pub(crate) fn may_move(&self, place: &Place) -> Result<(), Error> {
        if self.place.servers == place.servers {
            return Ok(());
        }
        Err(failure("the session is open with other MCP servers; close it first", "busy"))
    }

    /// Tells the client something.
    fn emit(&self, core: &mut Core, update: &SessionUpdate) {
        core.update(&self.id, update);
    }
}

impl sa_acp::Session for Session {
    type Launch = Launch;
    type Core = Core;
    type Content = Vec<Input>;
    type Ask = Ask;

    fn content(pieces: Vec<Piece>) -> Result<Vec<Input>, Error> {
        pieces.into_iter().map(prompt::input).collect()
    }

    fn id(&self) -> &SessionId {
        &self.id
    }

    fn is_open(&self) -> bool {
        !self.gone && self.closing.is_none()
    }

    fn is_gone(&self) -> bool {
        self.gone
    }

    fn queue(&mut self) -> &mut Queue<Vec<Input>> {
        &mut self.queue
    }

    fn running(&self) -> Option<&RequestKey> {
        self.turn.as_ref()?.key.as_ref()
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some() || self.native_turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        self.send_next(core);
    }

    fn interrupt(&mut self, core: &mut Core) {
        self.stop(core);
    }

    fn asks(&mut self) -> &mut BTreeMap<String, Ask> {
        &mut self.asks
    }

    fn answered(&mut self, core: &mut Core, id: &str, ask: Ask, told: Told) {
        self.client_answered(core, id, ask, told);
    }

    fn set(
        &mut self,
        core: &mut Core,
        key: &RequestKey,
        form: Form,
        option: &str,
        value: &str,
    ) -> Result<(), Error> {
        let change = self.settings.change(option, value)?;
        self.change(core, key, change, form);
        Ok(())
    }

    fn close(&mut self, core: &mut Core, key: RequestKey, delete: bool) {
        self.begin_close(core, key, delete);
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        let closing = self.closing.as_ref().and_then(Closing::deadline);
        [turn, closing, self.tools.running.deadline(), self.mcp.deadline()].into_iter().flatten().min()
    }

    fn tick(&mut self, core: &mut Core) {
        self.tell_printed(core);
        self.enforce_mcp(core);
        self.enforce_interrupt(core);
        self.enforce_cancel(core);
        self.enforce_close(core);
    }
}
