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

pub(crate) use settings::{Mode, Settings};

use super::core::Core;
use super::native::about::Command;
use super::native::ask::Rule;
use super::native::call::{Call, of_session};
use super::replies::Then;
use agent_client_protocol_schema::v1::{Error, SessionId};
use ask::Ask;
use permission::Allowed;
use sa_acp::{Compaction, Conversation, Link, McpWait, Mode as _, Reply, SetRequest, failure};
use serde_json::{Value, json};
use speech::Speech;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// The directories and MCP servers of a session, the servers in the server's own form.
pub(crate) type Workspace = sa_acp::Workspace<BTreeMap<String, Value>>;

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace,
    link: Link,
    /// The time at which a session that is being closed waits no longer for its turn.
    close_by: Option<Duration>,
    mcp: McpWait,
    settings: Settings,
    commands: Vec<Command>,
    turn: Option<Turn>,
    /// Aborts that the server has not answered.
    aborts: u32,
    /// The rules that the server has for the session.
    ruled: Vec<Rule>,
    /// Permissions that hold for the session.
    allowed: Vec<Allowed>,
    speech: Speech,
    tools: Tools,
    meter: Meter,
    compaction: Compaction,
}

impl Session {
    fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            conversation: Conversation::new(id),
            workspace,
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
        &self.workspace.cwd
    }

    pub(crate) fn title(&self) -> Option<String> {
        self.conversation.title.clone()
    }

    /// Returns whether the open session can be opened again in that place.
    pub(crate) fn may_move(&self, workspace: &Workspace) -> Result<(), Error> {
        if self.workspace.servers == workspace.servers && self.workspace.cwd == workspace.cwd {
            return Ok(());
        }
        Err(failure("the session is open elsewhere or with other MCP servers; close it first", "busy"))
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        if self.link != Link::Up {
            return core.server.revive(&mut self.link, &self.conversation.id);
        }
        if !self.mcp.is_done() {
            return self.mcp.hold(core.now.elapsed);
        }
        if self.aborts > 0 {
            // An abort names no turn: it would stop the next one if that overtook it.
            return;
        }
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let work = self.work_of(prompt.parts);
        self.turn = Some(Turn::new(work, prompt.first_line));
        self.meter.turn_begins();
        let rules = self.settings.rules(&self.workspace.directories, &self.foreign(core));
        if rules == self.ruled {
            return self.send_work(core);
        }
        let call = Call::patch(of_session(&self.conversation.id.0, ""), json!({ "permission": rules }));
        self.ruled = rules;
        core.ask_soon(&call.within(&self.workspace.cwd), Then::Ruled(self.conversation.id.clone()));
    }

    fn interrupt(&mut self, core: &mut Core) {
        let deadline = core.now.elapsed + core.host.limits.cancel;
        let Some(turn) = &mut self.turn else { return };
        turn.cancel.get_or_insert(deadline);
        let is_sent = turn.work.is_none();
        self.withdraw_asks(core);
        if is_sent {
            self.send_abort(core);
        }
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        match ask {
            Ask::Permission(waiting) => self.permission_answered(core, id, *waiting, reply),
            Ask::Questions(questions) => self.questions_answered(core, id, questions, reply),
            Ask::Plan(plan) => self.plan_answered(core, id, &plan, reply),
        }
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.option, &request.value)?;
        let before = self.settings.mode();
        self.settings.apply(change);
        let mode = Some(self.settings.mode()).filter(|mode| *mode != before);
        let options = self.settings.options();
        core.client.setting_changed(&self.conversation.id, &request, mode.map(Mode::id), options);
        if mode.is_some() {
            self.reconsider(core);
        }
        Ok(())
    }

    /// Cancels all work. The turn that is aborted is waited for only so long.
    fn close(&mut self, core: &mut Core) {
        self.close_by = Some(core.now.elapsed + core.host.limits.cancel);
        self.cancel(core);
        self.let_go(core);
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        [turn, self.close_by, self.tools.running.deadline(), self.mcp.deadline()].into_iter().flatten().min()
    }

    fn tick(&mut self, core: &mut Core) {
        self.tell_printed(core);
        self.enforce_mcp(core);
        self.try_settle(core);
        self.enforce_abort(core);
        self.enforce_cancel(core);
        self.enforce_close(core);
    }
}
