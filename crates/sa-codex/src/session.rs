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
use agent_client_protocol_schema::v1::{Error, SessionId, SessionInfo};
use ask::Ask;
use closing::Closing;
use sa_acp::Mode as _;
use sa_acp::{Compaction, Conversation, How, Link, McpWait, Reply, RequestKey, SetRequest, failure};
use serde_json::{Map, Value};
use settings::{Mode, Settings};
use speech::Speech;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// The directories and MCP servers of a session, the servers in the CLI's own form.
pub(crate) type Workspace = sa_acp::Workspace<Map<String, Value>>;

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace,
    /// The thread's own id; another than the session's if the first one was lost before anything was stored of it.
    thread: String,
    /// Set if the CLI has stored something of the thread, so that it can be resumed.
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
    /// Set if files of the session's directories may be changed without asking.
    edits_allowed: bool,
    speech: Speech,
    tools: Tools,
    meter: Meter,
    compaction: Compaction,
    /// Set if it has no name from before.
    is_nameless: bool,
}

impl Session {
    fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            thread: id.to_string(),
            conversation: Conversation::new(id),
            workspace,
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

    /// Returns the session as `session/list` shows it, unless the CLI has it on disk.
    pub(crate) fn unstored_info(&self) -> Option<SessionInfo> {
        let is_unstored = self.conversation.is_open() && !self.is_stored;
        let title = self.conversation.title.clone();
        is_unstored.then(|| self.workspace.session_info(self.conversation.id.clone(), title))
    }

    /// The thread's own id.
    pub(crate) fn thread(&self) -> &str {
        &self.thread
    }

    /// Returns whether the open session can be opened again in that place. Its directory can change from turn to turn,
    /// but servers are reached when a thread is loaded.
    pub(crate) fn may_move(&self, workspace: &Workspace) -> Result<(), Error> {
        if self.workspace.servers == workspace.servers {
            return Ok(());
        }
        Err(failure("the session is open with other MCP servers; close it first", "busy"))
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some() || self.native_turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        if self.link != Link::Up {
            return core.server.revive(&mut self.link, &self.conversation.id);
        }
        if !self.mcp.is_done() {
            return self.mcp.hold(core.now.elapsed);
        }
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let work = self.work_of(prompt.parts);
        self.begin(core, Turn::new(prompt.first_line), &work);
    }

    fn interrupt(&mut self, core: &mut Core) {
        if self.leave_plan(core) {
            return;
        }
        let deadline = core.now.elapsed + core.host.limits.cancel;
        if let Some(turn) = &mut self.turn {
            turn.cancel.get_or_insert(deadline);
        }
        self.send_interrupt(core);
        self.interrupt_offspring(core);
        self.drop_asks(core);
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        match ask {
            Ask::Permission(permission) => self.permission_answered(core, id, *permission, reply),
            Ask::Questions(questions) => self.questions_answered(core, id, questions, reply),
            Ask::Server => self.server_answered(core, id, reply),
            Ask::Plan(plan) => self.plan_answered(core, &plan, reply),
        }
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.option, &request.value)?;
        let before = self.settings.mode();
        self.settings.apply(change);
        let mode = Some(self.settings.mode()).filter(|mode| *mode != before).map(Mode::id);
        core.client.setting_changed(&self.conversation.id, &request, mode, self.settings.options());
        Ok(())
    }

    /// Cancels all work, and releases the thread.
    fn close(&mut self, core: &mut Core) {
        self.closing = Some(Closing::Stopping(core.now.elapsed + core.host.limits.cancel));
        self.cancel(core);
        self.let_go(core);
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
