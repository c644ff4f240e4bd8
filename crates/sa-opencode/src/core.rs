//! What every part of the agent works with: the client, the server, and what the agent was given from outside.

use super::door::Doors;
use super::jobs::Job;
use super::launch::Launch;
use super::limits::{BROKEN, Limits};
use super::native::call::Call;
use super::replies::Then;
use super::servers::Registry;
use sa_acp::{ChildId, Client, Disk, Extra, Login, Now, Pending, Processes, Profile};
use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// OpenCode. Logging in is done with a key from the environment, or outside of the protocol.
pub(super) static PROFILE: Profile = Profile {
    name: "opencode",
    title: "OpenCode",
    namespace: "opencode",
    login: Login {
        id: "opencode-login",
        name: "Log in with OpenCode",
        description: "Set the key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or run `opencode auth login` in a \
                      terminal",
    },
    extras: &[Extra::Directories, Extra::Fork, Extra::SetModel, Extra::Sse],
};

/// What the machine needs from outside.
pub struct Host {
    /// The files that the machine may look at.
    pub disk: Box<dyn Disk>,
    /// See there.
    pub doors: Box<dyn Doors>,
    /// The home directory, for what concerns no project.
    pub home: PathBuf,
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

/// An answer that the server owes.
#[derive(Debug)]
pub(super) struct Awaited {
    pub(super) then: Then,
    /// Why it will not come.
    pub(super) broken: Option<String>,
}

/// See the module's comment.
#[derive(Debug)]
pub struct Core {
    pub(super) now: Now,
    pub(super) client: Client,
    pub(super) processes: Processes<Launch>,
    pub(super) host: Host,
    /// The process that is talked to.
    pub(super) child: Option<ChildId>,
    /// Work that needs it to be ready.
    pub(super) jobs: VecDeque<Job>,
    /// MCP servers that it was told of.
    pub(super) registry: Registry,
    /// What it was asked.
    pub(super) open: Pending<u64, Awaited>,
    last: u64,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Client::new(&PROFILE),
            processes: Processes::default(),
            host,
            child: None,
            jobs: VecDeque::new(),
            registry: Registry::default(),
            open: Pending::default(),
            last: 0,
        }
    }

    /// Asks the server something. Only prompts are awaited without a bound.
    pub(super) fn ask(&mut self, call: &Call, within: Option<Duration>, then: Then) {
        let Some(child) = self.child else { return };
        self.last += 1;
        let deadline = within.map(|within| self.now.elapsed.saturating_add(within));
        self.open.insert(self.last, deadline, Awaited { then, broken: None });
        let line = call.line(self.last);
        self.processes.write(child, line);
    }

    /// The same for what has an answer soon.
    pub(super) fn ask_soon(&mut self, call: &Call, then: Then) {
        self.ask(call, Some(self.host.limits.control), then);
    }

    /// The same when nothing depends on the answer.
    pub(super) fn order(&mut self, name: &'static str, call: &Call) {
        self.ask_soon(call, Then::Nothing(name));
    }

    /// Notes that the answer `id` will not come. If that is because the process ends, its end tells more.
    pub(super) fn broken(&mut self, id: u64, reason: String) {
        let soon = self.now.elapsed.saturating_add(BROKEN);
        if let Some(awaited) = self.open.await_until(&id, soon) {
            awaited.broken = Some(reason);
        }
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;

    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Launch>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}
