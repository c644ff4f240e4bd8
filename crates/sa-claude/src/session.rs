//! One session: a conversation, the process of the CLI that works on it, and the prompts that wait for it.
//!
//! ```text
//!  client ──► prompt ──► queue ──► turn ──► lines to the CLI
//!  client ◄── updates, questions ◄── frames ◄── lines of the CLI
//! ```
//!
//! One process per session, one native turn at a time. The process may end at any time; the next prompt starts another
//! that takes the conversation up where it was.

mod ask;
mod commands;
mod compaction;
mod control;
mod ending;
mod frames;
mod mcp;
mod opening;
mod permission;
mod plan_exit;
mod question;
mod read_only;
mod settings;
mod speech;
mod stream;
mod tooling;
mod turn;
mod usage;

pub(crate) use mcp::servers;
pub(crate) use opening::Opening;
pub(crate) use settings::Settings;

use super::core::Core;
use super::launch::{Launch, NativeConversation};
use super::native::Frame;
use super::native::line::plain;
use super::tools::Todos;
use agent_client_protocol_schema::v1::{AvailableCommand, Error, SessionId, SessionInfo, StopReason};
use ask::Ask;
use compaction::Compaction;
use control::Controls;
use mcp::Mcp;
use opening::Greeting;
use sa_acp::{
    ChildId, Conversation, Decision, Ended, FormReply, Reply, RequestKey, SessionProcess, SetRequest,
    Workspace,
};
use serde_json::json;
use std::time::Duration;
use stream::Stream;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

#[derive(Debug)]
struct Child {
    conversation: NativeConversation,
    /// The answers of the handshake; `None` once the process takes prompts.
    greeting: Option<Greeting>,
}

/// The CLI's own report of its work, on a prompt or on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    Idle,
    Working,
    /// A turn has its result; the CLI has until then to report that it is idle.
    Settling(Duration),
}

impl Activity {
    fn deadline(self) -> Option<Duration> {
        match self {
            Self::Settling(until) => Some(until),
            Self::Idle | Self::Working => None,
        }
    }
}

#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace,
    /// The id under which the CLI keeps the conversation; `/clear` changes it.
    native_id: String,
    /// Set if the CLI has stored something of the conversation, so that it can be resumed.
    is_stored: bool,
    /// Set if `is_stored` turned out to be wrong for this attempt to start a process.
    has_switched: bool,
    child: Option<SessionProcess<Child>>,
    opening: Option<Opening>,
    controls: Controls,
    mcp: Mcp,
    settings: Settings,
    commands: Vec<AvailableCommand>,
    turn: Option<Turn>,
    activity: Activity,
    stream: Stream,
    tools: Tools,
    todos: Todos,
    meter: Meter,
    compaction: Compaction,
}

impl Session {
    pub(crate) fn new(id: SessionId, workspace: Workspace, settings: Settings) -> Self {
        Self {
            native_id: id.to_string(),
            conversation: Conversation::new(id),
            workspace,
            is_stored: false,
            has_switched: false,
            child: None,
            opening: None,
            controls: Controls::default(),
            mcp: Mcp::default(),
            settings,
            commands: Vec::new(),
            turn: None,
            activity: Activity::Idle,
            stream: Stream::default(),
            tools: Tools::default(),
            todos: Todos::default(),
            meter: Meter::default(),
            compaction: Compaction::default(),
        }
    }

    /// Returns the session as `session/list` shows it, unless the CLI has it on disk.
    pub(crate) fn unstored_info(&self) -> Option<SessionInfo> {
        (self.conversation.is_open() && !self.is_stored).then(|| self.conversation.info(&self.workspace))
    }

    /// Returns whether the CLI works, on a prompt or on its own.
    fn is_busy(&self) -> bool {
        self.turn.is_some() || self.activity != Activity::Idle
    }

    pub(crate) fn native_id(&self) -> &str {
        &self.native_id
    }

    /// Starts a process for a conversation.
    fn start(&mut self, core: &mut Core, conversation: NativeConversation) {
        let launch = Launch {
            conversation: conversation.clone(),
            cwd: self.workspace.cwd.clone(),
            directories: self.workspace.directories.clone(),
            mode: self.settings.launch_mode(),
            model: self.settings.launch_model(),
            effort: self.settings.launch_effort(),
            settings: core.host.token.as_ref().map(|token| token.blank().to_string()),
            allow_bypass: core.host.allow_bypass,
            is_root: core.host.is_root,
        };
        let (NativeConversation::New { id }
        | NativeConversation::Resumed { id }
        | NativeConversation::Forked { id, .. }) = &conversation;
        self.native_id.clone_from(id);
        self.activity = Activity::Idle;
        self.controls = Controls::default();
        self.stream = Stream::default();
        self.meter.restarted();
        self.mcp = Mcp::default();
        let child = Child { conversation, greeting: None };
        self.child = Some(SessionProcess::start(&mut core.io.processes, launch, child));
        self.greet(core);
    }

    /// Starts a process that continues the conversation.
    fn restart(&mut self, core: &mut Core) {
        let id = self.native_id.clone();
        let conversation =
            if self.is_stored { NativeConversation::Resumed { id } } else { NativeConversation::New { id } };
        self.start(core, conversation);
    }
}

impl sa_acp::Session<Core> for Session {
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn start_next(&mut self, core: &mut Core) {
        if !self.is_busy() {
            self.send_prompt(core);
        }
    }

    fn interrupt(&mut self, core: &mut Core) {
        if !self.is_busy() {
            return;
        }
        if let Some(turn) = &mut self.turn {
            turn.cancel.request(core.io.now.elapsed + core.host.limits.cancel);
        }
        self.order(core, &plain("interrupt"), "interrupt");
        self.drop_asks(core);
    }

    fn opening(&self) -> Option<&RequestKey> {
        self.opening.as_ref().map(|opening| &opening.key)
    }

    fn give_up_opening(&mut self, core: &mut Core, error: &Error) {
        self.dismiss(core, error);
        // Prompts of a session that was open before wait for the next process.
        if !self.conversation.is_open() {
            self.fail_prompts(core, error);
        }
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        match ask {
            Ask::Tool(permission) => self.on_decision(core, id, *permission, Decision::read(reply)),
            Ask::Plan(permission) => self.on_plan_reply(core, id, *permission, reply),
            Ask::Questions(questions) => self.on_answers(core, id, *questions, reply),
            Ask::Server => self.respond(core, id, &json!(FormReply::read(reply))),
        }
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.setting.option, request.setting.choice()?)?;
        self.change(core, request, change)
    }

    fn close(&mut self, core: &mut Core) {
        self.tools.close(&mut core.io.client, &self.conversation.id, "Cancelled");
        self.turn = None;
        self.conversation.finish(&mut core.io.client, Ok(StopReason::Cancelled), None);
        match &mut self.child {
            Some(child) => child.end(&mut core.io.processes, core.host.limits.drain),
            None => _ = self.closed(core),
        }
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(|turn| turn.cancel.deadline());
        [self.controls.open.deadline(), self.mcp.deadline(), turn, self.activity.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    fn tick(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        for then in self.controls.open.expired(now) {
            self.control_done(core, then, None);
        }
        self.poll_mcp(core);
        self.enforce_cancel(core);
        if self.activity.deadline().is_some_and(|until| until <= now) {
            self.activity = Activity::Idle;
            self.settle_cancelled(core);
        }
        self.send_next(core);
    }

    fn process(&self) -> Option<ChildId> {
        self.child.as_ref().map(|child| child.id)
    }

    fn on_line(&mut self, core: &mut Core, line: &[u8]) {
        match Frame::read(line) {
            Ok(frame) => self.on_frame(core, frame),
            Err(reason) => self.conversation.report_unreadable(&mut core.io.client, line, &reason),
        }
    }

    fn on_exit(&mut self, core: &mut Core, ended: &Ended) {
        self.on_process_end(core, ended);
    }
}
