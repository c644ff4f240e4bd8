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
use super::launch::{Conversation, Launch};
use super::native::line::{McpServer, UserContent};
use super::tools::Todos;
use agent_client_protocol_schema::v1::{AvailableCommand, Error, SessionId, SessionInfo, SessionUpdate};
use ask::Ask;
use compaction::Compaction;
use control::Controls;
use mcp::Mcp;
use opening::Greeting;
use sa_acp::{ChildId, Closing, Ended, Form, Piece, Queue, RequestKey, Told};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use stream::Stream;
use tooling::Tools;
use turn::Turn;
use usage::Meter;

/// Where a session works, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) cwd: PathBuf,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) servers: BTreeMap<String, McpServer>,
}

/// A process of the CLI.
#[derive(Debug)]
struct Child {
    id: ChildId,
    conversation: Conversation,
    /// What is not known yet; `None` once it takes prompts.
    greeting: Option<Greeting>,
    /// What it said about not being able to go on.
    complaint: Option<String>,
    /// Whether it was told to end.
    ending: bool,
}

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    place: Place,
    /// The id under which the CLI keeps the conversation; `/clear` changes it.
    native_id: String,
    /// Whether the CLI has stored something of the conversation, so that it can be resumed.
    is_stored: bool,
    /// Whether `is_stored` turned out to be wrong for this attempt to start a process.
    has_switched: bool,
    child: Option<Child>,
    opening: Option<Opening>,
    closing: Option<Closing>,
    /// Whether nothing is left of it.
    gone: bool,
    controls: Controls,
    mcp: Mcp,
    settings: Settings,
    commands: Vec<AvailableCommand>,
    queue: Queue<UserContent>,
    turn: Option<Turn>,
    /// Whether the CLI works on something, be it a prompt or by itself.
    running: bool,
    /// A turn has told its result and the CLI has not said that it is idle; until when that is waited for.
    settling: Option<Duration>,
    asks: BTreeMap<String, Ask>,
    stream: Stream,
    tools: Tools,
    todos: Todos,
    meter: Meter,
    compaction: Compaction,
    title: Option<String>,
    /// Whether it has no name from an earlier process.
    is_nameless: bool,
    /// Lines that were not known.
    unknown: u64,
}

impl Session {
    pub(crate) fn new(id: SessionId, place: Place, settings: Settings) -> Self {
        Self {
            native_id: id.to_string(),
            id,
            place,
            is_stored: false,
            has_switched: false,
            child: None,
            opening: None,
            closing: None,
            gone: false,
            controls: Controls::default(),
            mcp: Mcp::default(),
            settings,
            commands: Vec::new(),
            queue: Queue::new(),
            turn: None,
            running: false,
            settling: None,
            asks: BTreeMap::new(),
            stream: Stream::default(),
            tools: Tools::default(),
            todos: Todos::default(),
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

    /// The id under which the CLI keeps the conversation.
    pub(crate) fn native_id(&self) -> &str {
        &self.native_id
    }

    /// Whether this is its process.
    pub(crate) fn owns(&self, child: ChildId) -> bool {
        self.child.as_ref().is_some_and(|own| own.id == child)
    }

    /// As `session/list` shows it.
    pub(crate) fn info(&self) -> SessionInfo {
        SessionInfo::new(self.id.clone(), self.place.cwd.clone())
            .additional_directories(self.place.directories.clone())
            .title(self.title.clone())
    }

    /// Tells the client something.
    fn emit(&self, core: &mut Core, update: &SessionUpdate) {
        core.update(&self.id, update);
    }

    /// Starts a process for a conversation.
    fn start(&mut self, core: &mut Core, conversation: Conversation) {
        let launch = Launch {
            conversation: conversation.clone(),
            cwd: self.place.cwd.clone(),
            directories: self.place.directories.clone(),
            mode: self.settings.launch_mode(),
            model: self.settings.launch_model(),
            effort: self.settings.launch_effort(),
            settings: core.host.token.as_ref().map(|token| token.blank().to_string()),
            allow_bypass: core.host.allow_bypass,
            is_root: core.host.is_root,
        };
        let id = core.start(launch);
        match &conversation {
            Conversation::New { id } | Conversation::Resumed { id } | Conversation::Forked { id, .. } => {
                self.native_id.clone_from(id);
            }
        }
        self.running = false;
        self.settling = None;
        self.controls = Controls::default();
        self.stream = Stream::default();
        self.meter.restarted();
        self.mcp = Mcp::default();
        self.child = Some(Child { id, conversation, greeting: None, complaint: None, ending: false });
        self.greet(core);
    }

    /// Starts a process that goes on with the conversation.
    fn restart(&mut self, core: &mut Core) {
        let id = self.native_id.clone();
        let conversation =
            if self.is_stored { Conversation::Resumed { id } } else { Conversation::New { id } };
        self.start(core, conversation);
    }

    /// Takes note that its process ended.
    pub(crate) fn child_ended(&mut self, core: &mut Core, ended: &Ended) {
        self.ended(core, ended);
        self.send_next(core);
    }
}

impl sa_acp::Session for Session {
    type Launch = Launch;
    type Core = Core;
    type Content = UserContent;
    type Ask = Ask;

    fn content(pieces: Vec<Piece>) -> Result<UserContent, Error> {
        Ok(prompt::content(pieces))
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

    fn queue(&mut self) -> &mut Queue<UserContent> {
        &mut self.queue
    }

    fn running(&self) -> Option<&RequestKey> {
        self.turn.as_ref()?.key.as_ref()
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some() || self.running
    }

    fn start_next(&mut self, core: &mut Core) {
        self.send_next(core);
    }

    fn interrupt(&mut self, core: &mut Core) {
        self.stop(core);
    }

    fn opening(&self) -> Option<&RequestKey> {
        self.opening.as_ref().map(|opening| &opening.key)
    }

    fn give_up_opening(&mut self, core: &mut Core, error: &Error) {
        self.greeting_failed(core, error);
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
        self.change(core, key.clone(), change, form);
        Ok(())
    }

    fn close(&mut self, core: &mut Core, key: RequestKey, delete: bool) {
        self.closing.get_or_insert_default().add(key, delete);
        self.wind_up(core);
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
}
