//! The state of the agent apart from its sessions: the client, the app-server, and the configuration.

use super::driver::Options;
use super::jobs::Held;
use super::launch::Launch;
use super::native::line;
use super::replies::Then;
use super::server::ProcessFacts;
use super::session::Opening;
use super::session::Session;
use sa_acp::{Disk, Extra, Io, Login, Profile, Server};
use serde_json::Value;
use std::time::Duration;

/// Codex. Logging in is done with a key from the environment, or outside of the protocol.
pub(super) static PROFILE: Profile = Profile {
    name: "codex",
    title: "Codex",
    namespace: "codex",
    login: Login {
        id: "codex-login",
        name: "Log in with Codex",
        description: "Set CODEX_API_KEY or OPENAI_API_KEY, or run `codex login` in a terminal",
    },
    extras: &[Extra::Directories, Extra::Fork, Extra::Http, Extra::SetModel],
};

/// The configuration and the environment of the agent.
#[derive(Debug)]
pub struct Host {
    pub options: Options,
    pub disk: Box<dyn Disk>,
}

/// The state of the agent apart from its sessions.
#[derive(Debug)]
pub struct Core {
    pub(super) io: Io<Launch>,
    pub(super) host: Host,
    pub(super) server: Server<Opening, Then>,
    pub(super) facts: ProcessFacts,
    /// Sessions that cannot be opened yet.
    pub(super) held: Vec<Held>,
    /// The provider of the user's own that has to take the client's key.
    pub(super) provider: Option<String>,
}

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        Self {
            io: Io::new(&PROFILE),
            host,
            server: Server::default(),
            facts: ProcessFacts::default(),
            held: Vec::new(),
            provider: None,
        }
    }
}

impl Core {
    /// Sends a request to the app-server. Every request has a deadline, because the app-server does not answer all.
    pub(super) fn ask(&mut self, method: &str, params: &Value, within: Duration, then: Then) {
        let deadline = Some(self.io.now.elapsed.saturating_add(within));
        self.server.ask(&mut self.io.processes, deadline, then, |id| line::request(id, method, params));
    }

    /// Sends a request that is answered soon.
    pub(super) fn ask_soon(&mut self, method: &str, params: &Value, then: Then) {
        self.ask(method, params, self.host.options.limits.control, then);
    }

    /// Sends a request whose answer is only logged.
    pub(super) fn order(&mut self, method: &'static str, params: &Value) {
        self.ask_soon(method, params, Then::Nothing(method));
    }

    /// Writes a line to the app-server.
    pub(super) fn write(&mut self, line: Vec<u8>) {
        if let Some(child) = self.server.child() {
            self.io.processes.write(child, line);
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
