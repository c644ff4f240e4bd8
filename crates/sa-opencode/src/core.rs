//! The state of the agent apart from its sessions: the client, the server, and the configuration.

use super::endpoint::Endpoints;
use super::launch::Launch;
use super::native::call::Call;
use super::openings::Opening;
use super::replies::Then;
use super::servers::Registry;
use super::session::Session;
use sa_acp::{Disk, Extra, Io, Limits, Login, Profile, Server};
use std::collections::BTreeMap;
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
    extras: &[Extra::Directories, Extra::Fork, Extra::Http, Extra::SetModel, Extra::Sse],
};

/// The state of the agent apart from its sessions.
#[derive(Debug)]
pub struct Core {
    pub(super) io: Io<Launch>,
    pub(super) server: Server<Opening, Then>,
    pub(super) host: Host,
    /// The MCP servers that the server knows.
    pub(super) registry: Registry,
    /// The time by which the server has to be ready.
    pub(super) ready_by: Option<Duration>,
    /// Sessions that are being opened, by number.
    pub(super) openings: BTreeMap<u64, Opening>,
    pub(super) last_opening: u64,
}

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        Self {
            io: Io::new(&PROFILE),
            server: Server::default(),
            host,
            registry: Registry::default(),
            ready_by: None,
            openings: BTreeMap::new(),
            last_opening: 0,
        }
    }
}

impl Core {
    /// Sends a request to the server. Only prompts have no deadline.
    pub(super) fn ask(&mut self, call: &Call, within: Option<Duration>, then: Then) {
        let deadline = within.map(|within| self.io.now.elapsed.saturating_add(within));
        self.server.ask(&mut self.io.processes, deadline, then, |id| call.line(id));
    }

    /// Sends a request that is answered soon.
    pub(super) fn ask_soon(&mut self, call: &Call, then: Then) {
        self.ask(call, Some(self.host.limits.control), then);
    }

    /// Sends a request whose answer is only logged.
    pub(super) fn order(&mut self, name: &'static str, call: &Call) {
        self.ask_soon(call, Then::Nothing(name));
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;
    type Session = Session;

    fn io(&mut self) -> &mut Io<Launch> {
        &mut self.io
    }
}

/// The configuration and the environment of the agent.
#[derive(Debug)]
pub struct Host {
    pub disk: Box<dyn Disk>,
    /// The source of addresses for servers.
    pub endpoints: Box<dyn Endpoints>,
    /// The home directory.
    pub home: PathBuf,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    pub limits: Limits,
}
