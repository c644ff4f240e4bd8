//! One session: a thread, the process of the CLI that works on it, and the prompts that wait for it.
//!
//! ```text
//!  client ──► prompt ──► queue ──► turn ──► lines to the CLI
//!  client ◄── updates ◄── lines of the CLI
//!  client ◄── may this tool run? ◄── helper of the CLI
//! ```
//!
//! A process is started for the first prompt and stays for the next ones. What it was started with cannot be changed, and it
//! cannot be interrupted without ending: then the next prompt starts another, which takes the thread up where it was.

mod closing;
mod ending;
mod mcp;
mod opening;
mod permission;
mod prompt;
mod settings;
mod speech;
mod tooling;
mod turn;

pub(crate) use ending::{explain, model_error};
pub(crate) use mcp::servers;

use super::core::Core;
use super::launch::{Launch, settings as settings_text};
use super::native::InputBlock;
use agent_client_protocol_schema::v1::{Error, SessionId};
use permission::{Ask, Rule};
use sa_acp::{ChildId, Form, Piece, Reply, RequestKey, failure};
use serde_json::{Map, Value};
use settings::{Fixed, Settings};
use std::time::Duration;
use tooling::Tools;
use turn::Turn;

/// MCP servers in the CLI's own form, by name.
type Servers = Map<String, Value>;

/// A prompt in the CLI's own form.
type Content = Vec<InputBlock>;

pub(crate) type Workspace = sa_acp::Workspace<Servers>;
type Conversation = sa_acp::Conversation<Servers, Content, Ask>;

/// A process of the CLI.
#[derive(Debug)]
struct Child {
    id: ChildId,
    /// What it was started with.
    fixed: Fixed,
    /// What it printed that is no message: usually why it cannot go on.
    complaint: Option<String>,
    /// Whether it was told to end, or said that it will.
    ending: bool,
}

/// See the module's comment.
#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation,
    settings: Settings,
    child: Option<Child>,
    /// Requests to remove what is stored of the session, once it is closed.
    pub(crate) deletes: Vec<RequestKey>,
    turn: Option<Turn>,
    /// What is allowed until the session is closed.
    allowed: Vec<Rule>,
    tools: Tools,
    /// Whether it has a name.
    is_named: bool,
    /// That name, if it was given here.
    /// Messages so far; each has a number, as the CLI has no names for them.
    messages: u64,
}

impl Session {
    pub(crate) fn new(core: &Core, id: SessionId, workspace: Workspace, is_named: bool) -> Self {
        Self {
            conversation: Conversation::new(id, workspace),
            settings: Settings::new(core.host.allow_bypass),
            child: None,
            deletes: Vec::new(),
            turn: None,
            allowed: Vec::new(),
            tools: Tools::default(),
            is_named,
            messages: 0,
        }
    }

    /// What it was called after.
    pub(crate) fn title(&self) -> Option<&str> {
        self.conversation.title.as_deref()
    }

    /// Whether this is its process.
    pub(crate) fn owns(&self, child: ChildId) -> bool {
        self.child.as_ref().is_some_and(|own| own.id == child)
    }

    /// Starts a process that goes on with the thread.
    fn start(&mut self, core: &mut Core) -> Result<(), Error> {
        let fixed = self.settings.fixed();
        if let Some(file) = core.host.disk.project_rules(&self.conversation.workspace.cwd) {
            let file = file.display().to_string();
            if self.settings.is_plan() {
                let words = format!(
                    "{file} has rules about permissions, which Amp puts before plan mode. Take them out, or leave plan mode"
                );
                return Err(failure(words, "project_rules"));
            }
            core.client.remark(&self.conversation.id, "projectRules", Value::String(file));
        }
        let user = core.host.disk.settings();
        let user =
            user.map_err(|error| failure(format!("Amp's settings cannot be read: {error}"), "settings"))?;
        let launch = Launch::Work {
            thread: self.conversation.id.to_string(),
            cwd: self.conversation.workspace.cwd.clone(),
            agent_mode: fixed.agent_mode.clone(),
            bypass: self.settings.is_bypass(),
            settings: settings_text(
                user,
                &self.conversation.workspace.servers,
                fixed.asking,
                &core.host.helper,
            ),
        };
        let id = core.processes.start(launch);
        self.child = Some(Child { id, fixed, complaint: None, ending: false });
        Ok(())
    }

    /// Has the process end, which may take its time.
    fn dismiss(&mut self, core: &mut Core) {
        if let Some(child) = self.child.as_mut().filter(|child| !child.ending) {
            child.ending = true;
            core.dismiss(child.id);
        }
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Servers = Servers;
    type Content = Content;
    type Ask = Ask;

    fn content(pieces: Vec<Piece>) -> Result<Content, Error> {
        pieces.into_iter().map(prompt::block).collect()
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    fn running(&self) -> Option<&RequestKey> {
        self.turn.as_ref().map(|turn| &turn.key)
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        self.send_next(core);
    }

    fn interrupt(&mut self, core: &mut Core) {
        self.stop(core);
    }

    fn on_reply(&mut self, core: &mut Core, _: &str, ask: Ask, reply: Reply) {
        self.client_replied(core, &ask, reply);
    }

    fn set(
        &mut self,
        core: &mut Core,
        key: &RequestKey,
        form: Form,
        option: &str,
        value: &str,
    ) -> Result<(), Error> {
        self.set_option(core, option, value)?;
        let options = self.options(core);
        core.client.was_set(key, form, options);
        Ok(())
    }

    fn close(&mut self, core: &mut Core) {
        self.begin_close(core);
    }

    fn wake(&self) -> Option<Duration> {
        self.turn.as_ref().filter(|turn| !turn.is_cancelled()).and_then(Turn::lull)
    }

    fn tick(&mut self, core: &mut Core) {
        self.enforce_lull(core);
    }
}
