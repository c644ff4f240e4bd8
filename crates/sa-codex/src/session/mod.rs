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
use super::native::answer::Skill;
use super::native::call::Input;
use agent_client_protocol_schema::v1::{Error, SessionId};
use ask::Ask;
use closing::Closing;
use compaction::Compaction;
use sa_acp::{Form, How, Link, McpWait, Piece, Reply, RequestKey, failure};
use serde_json::{Map, Value};
use settings::Settings;
use speech::Speech;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// MCP servers in the CLI's own form, by name.
type Servers = Map<String, Value>;

/// A prompt in the CLI's own form.
type Content = Vec<Input>;

pub(crate) type Workspace = sa_acp::Workspace<Servers>;
type Conversation = sa_acp::Conversation<Servers, Content, Ask>;

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation,
    /// The thread's own id; another than the session's if the first one was lost before anything was stored of it.
    thread: String,
    /// Whether the CLI has stored something of the thread, so that it can be resumed.
    is_stored: bool,
    link: Link,
    closing: Option<Closing>,
    /// A request that opened the session, to be answered once the commands are sent.
    opening: Option<(RequestKey, How)>,
    mcp: McpWait,
    settings: Settings,
    skills: Vec<Skill>,
    turn: Option<Turn>,
    /// The turn that the app-server works on, be it a prompt's or its own.
    native_turn: Option<String>,
    /// Whether files of the session's directories may be changed without asking.
    edits_allowed: bool,
    speech: Speech,
    tools: Tools,
    meter: Meter,
    compaction: Compaction,
    /// Whether it has no name from before.
    is_nameless: bool,
}

impl Session {
    fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            thread: id.to_string(),
            conversation: Conversation::new(id, workspace),
            is_stored: false,
            link: Link::Up,
            closing: None,
            opening: None,
            mcp: McpWait::default(),
            settings,
            skills: Vec::new(),
            turn: None,
            native_turn: None,
            edits_allowed: false,
            speech: Speech::default(),
            tools: Tools::default(),
            meter: Meter::default(),
            compaction: Compaction::default(),
            is_nameless: false,
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

    /// Whether the open session can be opened again in that place. Its directory can change from turn to turn, but servers
    /// are reached when a thread is loaded.
    pub(crate) fn may_move(&self, workspace: &Workspace) -> Result<(), Error> {
        if self.conversation.workspace.servers == workspace.servers {
            return Ok(());
        }
        Err(failure("the session is open with other MCP servers; close it first", "busy"))
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Servers = Servers;
    type Content = Content;
    type Ask = Ask;

    fn content(pieces: Vec<Piece>) -> Result<Content, Error> {
        pieces.into_iter().map(prompt::input).collect()
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
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

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        self.client_replied(core, id, ask, reply);
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

    fn close(&mut self, core: &mut Core) {
        self.begin_close(core);
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        let closing = self.closing.and_then(Closing::deadline);
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
