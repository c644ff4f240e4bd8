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
use super::native::ask::form;
use agent_client_protocol_schema::v1::{Error, SessionId, SessionInfo};
use ask::Ask;
use closing::Closing;
use sa_acp::{
    Compaction, Conversation, Decision, FormReply, How, Link, Reply, RequestKey, ServedSession as _,
    SetRequest, Workspace,
};
use settings::Settings;
use speech::Speech;
use std::time::Duration;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

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
}

impl Session {
    fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            thread: id.to_string(),
            conversation: Conversation::new(id),
            workspace,
            is_stored: false,
            link: Link::default(),
            closing: None,
            opening: None,
            settings,
            skills: Vec::new(),
            turn: None,
            native_turn: None,
            edits_allowed: false,
            speech: Speech::default(),
            tools: Tools::default(),
            meter: Meter::default(),
            compaction: Compaction::default(),
        }
    }

    /// Returns the session as `session/list` shows it, unless the CLI has it on disk.
    pub(crate) fn unstored_info(&self) -> Option<SessionInfo> {
        (self.conversation.is_open() && !self.is_stored).then(|| self.conversation.info(&self.workspace))
    }

    /// Returns whether the app-server works, on a prompt or on its own.
    fn is_busy(&self) -> bool {
        self.turn.is_some() || self.native_turn.is_some()
    }

    pub(crate) fn thread(&self) -> &str {
        &self.thread
    }

    /// Returns whether the open session can be opened again in that place. Its directory can change from turn to turn,
    /// but servers are reached when a thread is loaded.
    pub(crate) fn may_move(&self, workspace: &Workspace) -> Result<(), Error> {
        self.workspace.check_servers(workspace)
    }
}

impl sa_acp::Session<Core> for Session {
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn start_next(&mut self, core: &mut Core) {
        let id = &self.conversation.id;
        if self.is_busy() || !self.link.is_ready(&mut core.server, id, core.io.now.elapsed) {
            return;
        }
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let work = self.work_of(prompt.parts);
        self.begin(core, Turn::new(prompt.first_line), &work);
    }

    fn interrupt(&mut self, core: &mut Core) {
        if !self.is_busy() || self.leave_plan(core) {
            return;
        }
        if let Some(turn) = &mut self.turn {
            turn.cancel.request(core.io.now.elapsed + core.host.options.limits.cancel);
        }
        self.send_interrupt(core);
        self.interrupt_offspring(core);
        self.drop_asks(core);
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        match ask {
            Ask::Permission(permission) => self.on_decision(core, id, *permission, &Decision::read(reply)),
            Ask::Questions(questions) => self.on_answers(core, id, questions, reply),
            Ask::Server => self.respond(core, id, &form(FormReply::read(reply))),
            Ask::Plan(plan) => self.on_plan_reply(core, &plan, reply),
        }
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.setting.option, request.setting.choice()?)?;
        self.settings.apply(change);
        let mode = self.settings.modes.take_change();
        core.io.client.setting_changed(&self.conversation.id, &request, mode, self.settings.options());
        self.reconsider(core);
        Ok(())
    }

    fn close(&mut self, core: &mut Core) {
        self.closing = Some(Closing::Stopping(core.io.now.elapsed + core.host.options.limits.cancel));
        self.let_go(core);
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        let closing = self.closing.and_then(Closing::deadline);
        [turn, closing, self.tools.running.deadline(), self.link.mcp.deadline()].into_iter().flatten().min()
    }

    /// The CLI drops parts of the output on the way, so clients that draw terminals get it when it is complete.
    fn tick(&mut self, core: &mut Core) {
        self.tools.running.report_due_output(&mut core.io.client, &self.conversation.id, core.io.now.elapsed);
        let limit = core.host.options.limits.mcp;
        self.enforce_mcp(core, limit);
        self.enforce_interrupt(core);
        self.enforce_cancel(core);
        self.enforce_close(core);
    }
}
