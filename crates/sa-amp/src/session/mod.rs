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
pub(crate) use opening::Opened;
pub(crate) use prompt::Prompt;

use super::core::Core;
use super::launch::{Launch, settings as settings_text};
use agent_client_protocol_schema::v1::{Error, SessionId, SessionUpdate};
use closing::Closing;
use permission::{Ask, Rule};
use sa_acp::{ChildId, failure};
use serde_json::{Map, Value};
use settings::{Fixed, Settings};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use tooling::Tools;
use turn::Turn;

/// Where a session works, and with what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) cwd: PathBuf,
    /// MCP servers in the CLI's own form, by name.
    pub(crate) servers: Map<String, Value>,
}

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
pub(crate) struct Session {
    id: SessionId,
    place: Place,
    settings: Settings,
    child: Option<Child>,
    closing: Option<Closing>,
    /// Whether nothing is left of it.
    gone: bool,
    queue: VecDeque<Prompt>,
    turn: Option<Turn>,
    asks: BTreeMap<String, Ask>,
    /// What is allowed until the session is closed.
    allowed: Vec<Rule>,
    tools: Tools,
    /// Whether it has a name.
    is_named: bool,
    /// That name, if it was given here.
    title: Option<String>,
    /// Messages so far; each has a number, as the CLI has no names for them.
    messages: u64,
    /// Lines that were not known.
    unknown: u64,
}

impl Session {
    pub(crate) fn new(core: &Core, id: SessionId, place: Place, is_named: bool) -> Self {
        Self {
            id,
            place,
            settings: Settings::new(core.host.allow_bypass),
            child: None,
            closing: None,
            gone: false,
            queue: VecDeque::new(),
            turn: None,
            asks: BTreeMap::new(),
            allowed: Vec::new(),
            tools: Tools::default(),
            is_named,
            title: None,
            messages: 0,
            unknown: 0,
        }
    }

    /// What it was called after.
    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Whether it can be forgotten.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether it takes prompts.
    pub(crate) fn is_open(&self) -> bool {
        !self.gone && self.closing.is_none()
    }

    /// Whether this is its process.
    pub(crate) fn owns(&self, child: ChildId) -> bool {
        self.child.as_ref().is_some_and(|own| own.id == child)
    }

    /// Tells the client something.
    fn emit(&self, core: &mut Core, update: &SessionUpdate) {
        core.update(&self.id, update);
    }

    /// Starts a process that goes on with the thread.
    fn start(&mut self, core: &mut Core) -> Result<(), Error> {
        let fixed = self.settings.fixed();
        if let Some(file) = core.host.disk.project_rules(&self.place.cwd) {
            let file = file.display().to_string();
            if self.settings.is_plan() {
                let words = format!(
                    "{file} has rules about permissions, which Amp puts before plan mode. Take them out, or leave plan mode"
                );
                return Err(failure(words, "project_rules"));
            }
            core.remark(&self.id, "projectRules", Value::String(file));
        }
        let user = core.host.disk.settings();
        let user =
            user.map_err(|error| failure(format!("Amp's settings cannot be read: {error}"), "settings"))?;
        let launch = Launch::Work {
            thread: self.id.to_string(),
            cwd: self.place.cwd.clone(),
            agent_mode: fixed.agent_mode.clone(),
            bypass: self.settings.is_bypass(),
            settings: settings_text(user, &self.place.servers, fixed.asking, &core.host.helper),
        };
        let id = core.start(launch);
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
