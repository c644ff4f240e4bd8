//! The state of the agent apart from its sessions: the client, processes, helpers, errands and the configuration.

use super::errand::{AgentModes, Errand};
use super::launch::Launch;
use super::session::Session;
use sa_acp::{ChildId, Extra, HelperId, Io, Limits, Login, Profile};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};

/// Amp. Logging in is done outside of the protocol, with the CLI's own means.
pub(super) static PROFILE: Profile = Profile {
    name: "amp",
    title: "Amp",
    namespace: "amp",
    login: Login {
        id: "amp-login",
        name: "Log in with Amp",
        description: "Set AMP_API_KEY, or run `amp login` in a terminal",
    },
    extras: &[Extra::Http, Extra::Sse],
};

/// The configuration and the environment of the agent.
#[derive(Debug)]
pub struct Host {
    pub disk: Box<dyn Disk>,
    /// Set if a key is in the environment.
    pub has_key: bool,
    /// The program that the CLI starts to ask whether a tool may run.
    pub helper: PathBuf,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    pub limits: Limits,
}

/// The files that the machine needs to know of, and must not touch itself.
pub trait Disk: fmt::Debug + Send {
    fn is_directory(&self, path: &Path) -> bool;

    /// A text file, if it is there and not too large to be shown.
    fn read(&self, path: &Path) -> Option<String>;

    /// Returns whether the CLI has stored credentials.
    fn has_login(&self) -> bool;

    /// The user's own settings of the CLI; an error in words if they cannot be read.
    fn settings(&self) -> Result<Map<String, Value>, String>;

    /// The file of a project that has rules of its own about permissions. They win over all others.
    fn project_rules(&self, cwd: &Path) -> Option<PathBuf>;
}

/// The state of the agent apart from its sessions.
#[derive(Debug)]
pub struct Core {
    pub(super) io: Io<Launch>,
    pub(super) host: Host,
    pub(super) errands: BTreeMap<ChildId, Errand>,
    pub(super) agent_modes: AgentModes,
    pub(super) replies: VecDeque<(HelperId, Vec<u8>)>,
}

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        Self {
            io: Io::new(&PROFILE),
            host,
            errands: BTreeMap::new(),
            agent_modes: AgentModes::default(),
            replies: VecDeque::new(),
        }
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;
    type Session = Session;

    fn io(&mut self) -> &mut Io<Launch> {
        &mut self.io
    }
}
