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
mod closing;
mod commands;
mod compaction;
mod control;
mod ending;
mod form;
mod frames;
mod mcp;
mod opening;
mod permission;
mod plan_exit;
mod prompt;
mod question;
mod read_only;
mod settings;
mod speech;
mod stream;
mod tasks;
mod tooling;
mod turn;
mod usage;

pub(crate) use mcp::servers;
pub(crate) use opening::Opening;
pub(crate) use settings::Settings;

use super::core::Core;
use super::launch::{Launch, NativeConversation};
use super::native::line::{McpServer, Request};
use super::tools::Todos;
use agent_client_protocol_schema::v1::{AvailableCommand, Error, SessionId, SessionInfo, StopReason};
use ask::Ask;
use compaction::Compaction;
use control::Controls;
use mcp::Mcp;
use opening::Greeting;
use sa_acp::{ChildId, Conversation, Ended, InputLine, Reply, RequestKey, SessionProcess, SetRequest};
use std::collections::BTreeMap;
use std::time::Duration;
use stream::Stream;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// The directories and MCP servers of a session, the servers in the CLI's own form.
pub(crate) type Workspace = sa_acp::Workspace<BTreeMap<String, McpServer>>;

/// The state of a process.
#[derive(Debug)]
struct Child {
    conversation: NativeConversation,
    /// The answers of the handshake; `None` once the process takes prompts.
    greeting: Option<Greeting>,
}

/// See the module's comment.
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
    /// Set if the CLI works on something, be it a prompt or by itself.
    running: bool,
    /// A turn has told its result and the CLI has not said that it is idle; until when that is waited for.
    settling: Option<Duration>,
    stream: Stream,
    tools: Tools,
    todos: Todos,
    meter: Meter,
    compaction: Compaction,
    /// Set if it has no name from an earlier process.
    is_nameless: bool,
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
            running: false,
            settling: None,
            stream: Stream::default(),
            tools: Tools::default(),
            todos: Todos::default(),
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

    /// The id under which the CLI keeps the conversation.
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
        match &conversation {
            NativeConversation::New { id }
            | NativeConversation::Resumed { id }
            | NativeConversation::Forked { id, .. } => {
                self.native_id.clone_from(id);
            }
        }
        self.running = false;
        self.settling = None;
        self.controls = Controls::default();
        self.stream = Stream::default();
        self.meter.restarted();
        self.mcp = Mcp::default();
        let child = Child { conversation, greeting: None };
        self.child = Some(SessionProcess::start(&mut core.processes, launch, child));
        self.greet(core);
    }

    /// Starts a process that goes on with the conversation.
    fn restart(&mut self, core: &mut Core) {
        let id = self.native_id.clone();
        let conversation =
            if self.is_stored { NativeConversation::Resumed { id } } else { NativeConversation::New { id } };
        self.start(core, conversation);
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some() || self.running
    }

    fn start_next(&mut self, core: &mut Core) {
        self.send_prompt(core);
    }

    fn interrupt(&mut self, core: &mut Core) {
        let deadline = core.now.elapsed + core.host.limits.cancel;
        if let Some(turn) = &mut self.turn {
            turn.cancel(deadline);
        }
        self.order(core, &Request::Interrupt, "interrupt");
        self.drop_asks(core);
    }

    fn opening(&self) -> Option<&RequestKey> {
        self.opening.as_ref().map(|opening| &opening.key)
    }

    fn give_up_opening(&mut self, core: &mut Core, error: &Error) {
        self.greeting_failed(core, error);
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        match ask {
            Ask::Tool(permission) => self.permission_answered(core, id, *permission, reply),
            Ask::Plan(permission) => self.plan_answered(core, id, *permission, reply),
            Ask::Questions(questions) => self.questions_answered(core, id, *questions, reply),
            Ask::Server => self.server_answered(core, id, reply),
        }
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.option, &request.value)?;
        self.change(core, request, change);
        Ok(())
    }

    /// Cancels the work and ends the process.
    fn close(&mut self, core: &mut Core) {
        self.cancel(core);
        self.tools.close(&mut core.client, &self.conversation.id, "Cancelled");
        self.turn = None;
        self.conversation.finish(&mut core.client, Ok(StopReason::Cancelled), None);
        match &mut self.child {
            Some(child) => child.end(&mut core.processes, core.host.limits.drain),
            None => {
                self.closed(core);
            }
        }
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        [self.controls.open.deadline(), self.mcp.deadline(), turn, self.settling].into_iter().flatten().min()
    }

    fn tick(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        for then in self.controls.open.expired(now) {
            self.control_expired(core, then);
        }
        self.poll_mcp(core);
        self.enforce_cancel(core);
        if self.settling.is_some_and(|until| until <= now) {
            self.settling = None;
            self.running = false;
            self.settle_cancelled(core);
        }
        self.send_next(core);
    }

    fn owns(&self, child: ChildId) -> bool {
        self.child.as_ref().is_some_and(|own| own.id == child)
    }

    fn on_line(&mut self, core: &mut Core, line: InputLine<'_>) {
        match line {
            InputLine::Whole(line) => self.native(core, line),
            InputLine::TooLong(length) => self.conversation.report_overlong(&mut core.client, length),
        }
    }

    fn on_exit(&mut self, core: &mut Core, ended: &Ended) {
        self.ended(core, ended);
        self.send_next(core);
    }
}
