//! What every part of the machine writes to: the client, its open requests, the processes of the CLI, visitors.

use super::launch::Launch;
use super::limits::Limits;
use sa_acp::{ChildId, Client, Extra, Login, Now, Processes, Profile, VisitorId};
use serde_json::{Map, Value};
use std::collections::VecDeque;
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
    extras: &[Extra::Sse],
};

/// The files that the machine needs to know of, and must not touch itself.
pub trait Disk: Send {
    /// Whether there is a directory at that path.
    fn is_directory(&self, path: &Path) -> bool;

    /// A text file, if it is there and not too large to be shown.
    fn read(&self, path: &Path) -> Option<String>;

    /// Whether the CLI has stored credentials.
    fn has_login(&self) -> bool;

    /// The user's own settings of the CLI; an error in words if they cannot be read.
    fn settings(&self) -> Result<Map<String, Value>, String>;

    /// The file of a project that has rules of its own about permissions. They win over all others.
    fn project_rules(&self, cwd: &Path) -> Option<PathBuf>;
}

/// What the machine needs from outside.
pub struct Host {
    /// See there.
    pub disk: Box<dyn Disk>,
    /// Whether a key is in the environment.
    pub has_key: bool,
    /// The program that the CLI starts to ask whether a tool may run.
    pub helper: PathBuf,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// See there.
    pub limits: Limits,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// See the module's comment.
#[derive(Debug)]
pub struct Core {
    pub(super) now: Now,
    pub(super) client: Client,
    pub(super) processes: Processes<Launch>,
    pub(super) host: Host,
    /// Agent modes that the CLI knows, once it was asked.
    pub(super) agent_modes: Vec<String>,
    answers: VecDeque<(VisitorId, Vec<u8>)>,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Client::new(&PROFILE),
            processes: Processes::default(),
            host,
            agent_modes: Vec::new(),
            answers: VecDeque::new(),
        }
    }

    /// Ends a process that may take its time to do so by itself.
    pub(super) fn dismiss(&mut self, child: ChildId) {
        self.processes.end(child, self.host.limits.farewell);
    }

    /// Answers a visitor with a line, its end included.
    pub(super) fn answer_visitor(&mut self, visitor: VisitorId, line: Vec<u8>) {
        self.answers.push_back((visitor, line));
    }

    pub(super) fn next_answer(&mut self) -> Option<(VisitorId, Vec<u8>)> {
        self.answers.pop_front()
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;

    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Launch>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}
