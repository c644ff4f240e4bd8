//! The state of the agent apart from its sessions: the client, processes, helpers, errands and the configuration.

use super::errand::{AgentModes, Errand, ReadySession};
use super::launch::Launch;
use sa_acp::{ChildId, Client, Extra, HelperId, Limits, Login, Now, Processes, Profile, new_parts};
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

/// The files that the machine needs to know of, and must not touch itself.
pub trait Disk: fmt::Debug + Send {
    /// Returns whether there is a directory at that path.
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

/// The configuration and the environment of the agent.
#[derive(Debug)]
pub struct Host {
    /// The files that the agent reads.
    pub disk: Box<dyn Disk>,
    /// Set if a key is in the environment.
    pub has_key: bool,
    /// The program that the CLI starts to ask whether a tool may run.
    pub helper: PathBuf,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// The time limits.
    pub limits: Limits,
}

/// See the module's comment.
#[derive(Debug)]
pub struct Core {
    pub(super) now: Now,
    pub(super) client: Client,
    pub(super) processes: Processes<Launch>,
    pub(super) host: Host,
    pub(super) errands: BTreeMap<ChildId, Errand>,
    pub(super) agent_modes: AgentModes,
    /// Sessions that wait for the agent modes.
    pub(super) ready: Vec<ReadySession>,
    /// Replies to helpers.
    pub(super) replies: VecDeque<(HelperId, Vec<u8>)>,
}

/// Amp as a pure state machine.
pub type Machine = sa_acp::Machine<Core>;

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        let (now, client, processes) = new_parts(&PROFILE);
        Self {
            now,
            client,
            processes,
            host,
            errands: BTreeMap::new(),
            agent_modes: AgentModes::default(),
            ready: Vec::new(),
            replies: VecDeque::new(),
        }
    }
}

impl Core {
    /// Returns the agent modes that the CLI has, as far as they are known.
    pub(super) fn agent_modes(&self) -> &[String] {
        match &self.agent_modes {
            AgentModes::Known(modes) => modes,
            AgentModes::Unknown | AgentModes::Asked => &[],
        }
    }
}
