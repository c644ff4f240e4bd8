//! One session of the server, and the prompts that wait for it.
//!
//! ```text
//!  client ──► prompt ──► queue ──► turn ──► requests to the server
//!  client ◄── updates, questions ◄── events of the server
//! ```
//!
//! One prompt at a time: the answer to its request is its end. The server may end at any time; sessions are on its disk, and
//! the next prompt has another one take them up.

mod ask;
mod closing;
mod commands;
mod compaction;
mod events;
mod failing;
mod history;
mod mcp;
mod offspring;
mod opening;
mod permission;
mod plan_exit;
mod prompt;
mod question;
mod reviving;
mod rules;
mod settings;
mod speech;
mod stopping;
mod tooling;
mod turn;
mod usage;

pub(crate) use settings::Settings;

use super::core::Core;
use super::launch::Launch;
use super::native::about::Command;
use super::native::ask::Rule;
use agent_client_protocol_schema::v1::{Error, SessionId, SessionUpdate};
use ask::Ask;
use closing::Closing;
use compaction::Compaction;
use permission::Allowed;
use reviving::Link;
use sa_acp::{Asking, Form, McpWait, Piece, Queue, RequestKey, Told, failure};
use serde_json::Value;
use speech::Speech;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// Where a session works, and with what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) cwd: PathBuf,
    pub(crate) directories: Vec<PathBuf>,
    /// In the form of the server's own settings, by name.
    pub(crate) servers: BTreeMap<String, Value>,
    pub(crate) asking: Asking,
}

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: SessionId,
    place: Place,
    link: Link,
    closing: Option<Closing>,
    /// Whether nothing is left of it.
    gone: bool,
    mcp: McpWait,
    settings: Settings,
    commands: Vec<Command>,
    queue: Queue<Vec<Value>>,
    turn: Option<Turn>,
    /// Aborts that the server has not answered.
    aborts: u32,
    /// The rules that the server has for the session.
    ruled: Vec<Rule>,
    asks: BTreeMap<String, Ask>,
    /// What need not be asked about again.
    allowed: Vec<Allowed>,
    speech: Speech,
    tools: Tools,
    meter: Meter,
    compaction: Compaction,
    title: Option<String>,
    /// Things that were not known.
    unknown: u64,
}

impl Session {
    fn new(id: SessionId, place: Place, settings: Settings) -> Self {
        Self {
            id,
            place,
            link: Link::Up,
            closing: None,
            gone: false,
            mcp: McpWait::default(),
            settings,
            commands: Vec::new(),
            queue: Queue::new(),
            turn: None,
            aborts: 0,
            ruled: Vec::new(),
            asks: BTreeMap::new(),
            allowed: Vec::new(),
            speech: Speech::default(),
            tools: Tools::default(),
            meter: Meter::default(),
            compaction: Compaction::default(),
            title: None,
            unknown: 0,
        }
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.place.cwd
    }

    pub(crate) fn title(&self) -> Option<String> {
        self.title.clone()
    }

    /// Whether the open session can be opened again in that place.
    pub(crate) fn may_move(&self, place: &Place) -> Result<(), Error> {
        if self.place.servers == place.servers && self.place.cwd == place.cwd {
            return Ok(());
        }
        Err(failure("the session is open elsewhere or with other MCP servers; close it first", "busy"))
    }

    /// Tells the client something.
    fn emit(&self, core: &mut Core, update: &SessionUpdate) {
        core.update(&self.id, update);
    }
}

impl sa_acp::Session for Session {
    type Launch = Launch;
    type Core = Core;
    type Content = Vec<Value>;
    type Ask = Ask;

    fn content(pieces: Vec<Piece>) -> Result<Vec<Value>, Error> {
        pieces.into_iter().map(prompt::part).collect()
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

    fn queue(&mut self) -> &mut Queue<Vec<Value>> {
        &mut self.queue
    }

    fn running(&self) -> Option<&RequestKey> {
        self.turn.as_ref()?.key.as_ref()
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        self.begin_next(core);
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
        let closing = self.closing.as_ref().map(Closing::deadline);
        [turn, closing, self.tools.running.deadline(), self.mcp.deadline()].into_iter().flatten().min()
    }

    fn tick(&mut self, core: &mut Core) {
        self.tell_printed(core);
        self.enforce_mcp(core);
        self.enforce_settle(core);
        self.enforce_abort(core);
        self.enforce_cancel(core);
        self.enforce_close(core);
    }
}
