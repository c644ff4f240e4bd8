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
mod events;
mod failing;
mod history;
mod mcp;
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
use super::replies::Then;
use agent_client_protocol_schema::v1::{Error, SessionId};
use ask::Ask;
use permission::Allowed;
use sa_acp::{Compaction, Conversation, Decision, Link, Reply, ServedSession as _, SetRequest, Workspace};
use speech::Speech;
use std::path::Path;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace,
    link: Link,
    /// The time at which a session that is being closed waits no longer for its turn.
    close_by: Option<Duration>,
    settings: Settings,
    commands: Vec<Command>,
    turn: Option<Turn>,
    /// Aborts that the server has not answered.
    aborts: u32,
    /// The rules that the server has for the session.
    ruled: Vec<Rule>,
    /// Permissions that hold for the session.
    allowed: Vec<Allowed>,
    compaction: Compaction,
    meter: Meter,
    speech: Speech,
    tools: Tools,
}

impl Session {
    fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            conversation: Conversation::new(id),
            workspace,
            link: Link::default(),
            close_by: None,
            settings,
            commands: Vec::new(),
            turn: None,
            aborts: 0,
            ruled: Vec::new(),
            allowed: Vec::new(),
            compaction: Compaction::default(),
            meter: Meter::default(),
            speech: Speech::default(),
            tools: Tools::default(),
        }
    }

    /// Returns whether the server works on a prompt.
    pub(crate) fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.workspace.cwd
    }

    /// Returns whether the open session can be opened again in that place.
    pub(crate) fn may_move(&self, workspace: &Workspace) -> Result<(), Error> {
        self.workspace.check_directory(workspace)?;
        self.workspace.check_servers(workspace)
    }
}

impl sa_acp::Session<Core> for Session {
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn start_next(&mut self, core: &mut Core) {
        if self.is_busy() || !self.link.is_ready(&mut core.server, &self.conversation.id, core.io.now.elapsed)
        {
            return;
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
        self.ruled = rules;
        self.send_rules(core, Then::Ruled(self.conversation.id.clone()));
    }

    fn interrupt(&mut self, core: &mut Core) {
        let Some(turn) = &mut self.turn else { return };
        turn.cancel.request(core.io.now.elapsed + core.host.limits.cancel);
        let is_sent = turn.work.is_none();
        self.conversation.withdraw_all(&mut core.io.client);
        if is_sent {
            self.send_abort(core);
        }
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        match ask {
            Ask::Permission(waiting) => self.on_decision(core, id, *waiting, Decision::read(reply)),
            Ask::Questions(questions) => self.on_answers(core, id, questions, reply),
            Ask::Plan(plan) => self.on_plan_reply(core, id, &plan, reply),
        }
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.setting.option, request.setting.choice()?)?;
        self.settings.apply(change);
        let mode = self.settings.modes.take_change();
        core.io.client.setting_changed(&self.conversation.id, &request, mode, self.settings.options());
        if mode.is_some() {
            self.reconsider(core);
        }
        Ok(())
    }

    fn close(&mut self, core: &mut Core) {
        self.close_by = Some(core.io.now.elapsed + core.host.limits.cancel);
        self.let_go(core);
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        [turn, self.close_by, self.tools.running.deadline(), self.link.mcp.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    fn tick(&mut self, core: &mut Core) {
        self.tools.running.report_due_output(&mut core.io.client, &self.conversation.id, core.io.now.elapsed);
        let limit = core.host.limits.mcp;
        self.enforce_mcp(core, limit);
        self.try_settle(core);
        self.enforce_abort(core);
        self.enforce_cancel(core);
        self.enforce_close(core);
    }
}
