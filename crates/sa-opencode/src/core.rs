//! What every part of the agent works with: the client, the server, and what the agent was given from outside.

use super::endpoint::Endpoints;
use super::launch::Launch;
use super::limits::Limits;
use super::native::call::Call;
use super::openings::Opening;
use super::replies::Then;
use super::servers::Registry;
use sa_acp::{Client, Disk, Extra, Login, Now, Processes, Profile, Server};
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
    pub endpoints: Box<dyn Endpoints>,
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

/// See the module's comment.
#[derive(Debug)]
pub struct Core {
    pub(super) now: Now,
    pub(super) client: Client,
    pub(super) processes: Processes<Launch>,
    pub(super) host: Host,
    pub(super) server: Server<Opening, Then>,
    /// MCP servers that it was told of.
    pub(super) registry: Registry,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Client::new(&PROFILE),
            processes: Processes::default(),
            host,
            server: Server::default(),
            registry: Registry::default(),
        }
    }

    /// Asks the server something. Only prompts are awaited without a bound.
    pub(super) fn ask(&mut self, call: &Call, within: Option<Duration>, then: Then) {
        let deadline = within.map(|within| self.now.elapsed.saturating_add(within));
        self.server.ask(&mut self.processes, deadline, then, |id| call.line(id));
    }

    /// The same for what has an answer soon.
    pub(super) fn ask_soon(&mut self, call: &Call, then: Then) {
        self.ask(call, Some(self.host.limits.control), then);
    }

    /// The same when nothing depends on the answer.
    pub(super) fn order(&mut self, name: &'static str, call: &Call) {
        self.ask_soon(call, Then::Nothing(name));
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;

    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Launch>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}
