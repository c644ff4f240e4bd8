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
use super::native::about::Command;
use super::native::ask::Rule;
use agent_client_protocol_schema::v1::{Error, SessionId};
use ask::Ask;
use compaction::Compaction;
use permission::Allowed;
use sa_acp::{Form, Link, McpWait, Piece, Reply, RequestKey, failure};
use serde_json::Value;
use speech::Speech;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// MCP servers in the CLI's own form, by name.
type Servers = BTreeMap<String, Value>;

/// A prompt in the CLI's own form.
type Content = Vec<Value>;

pub(crate) type Workspace = sa_acp::Workspace<Servers>;
type Conversation = sa_acp::Conversation<Servers, Content, Ask>;

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation,
    link: Link,
    /// When a session that is being closed waits no longer for its turn.
    close_by: Option<Duration>,
    mcp: McpWait,
    settings: Settings,
    commands: Vec<Command>,
    turn: Option<Turn>,
    /// Aborts that the server has not answered.
    aborts: u32,
    /// The rules that the server has for the session.
    ruled: Vec<Rule>,
    /// What need not be asked about again.
    allowed: Vec<Allowed>,
    speech: Speech,
    tools: Tools,
    meter: Meter,
    compaction: Compaction,
}

impl Session {
    fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            conversation: Conversation::new(id, workspace),
            link: Link::Up,
            close_by: None,
            mcp: McpWait::default(),
            settings,
            commands: Vec::new(),
            turn: None,
            aborts: 0,
            ruled: Vec::new(),
            allowed: Vec::new(),
            speech: Speech::default(),
            tools: Tools::default(),
            meter: Meter::default(),
            compaction: Compaction::default(),
        }
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.conversation.workspace.cwd
    }

    pub(crate) fn title(&self) -> Option<String> {
        self.conversation.title.clone()
    }

    /// Whether the open session can be opened again in that place.
    pub(crate) fn may_move(&self, workspace: &Workspace) -> Result<(), Error> {
        if self.conversation.workspace.servers == workspace.servers
            && self.conversation.workspace.cwd == workspace.cwd
        {
            return Ok(());
        }
        Err(failure("the session is open elsewhere or with other MCP servers; close it first", "busy"))
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Servers = Servers;
    type Content = Content;
    type Ask = Ask;

    fn content(pieces: Vec<Piece>) -> Result<Content, Error> {
        pieces.into_iter().map(prompt::part).collect()
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
        self.turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        self.begin_next(core);
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
        [turn, self.close_by, self.tools.running.deadline(), self.mcp.deadline()].into_iter().flatten().min()
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
