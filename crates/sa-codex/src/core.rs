//! The state of the agent apart from its sessions: the client, the app-server, and the configuration.

use super::held::Held;
use super::launch::Launch;
use super::native::answer::Model;
use super::native::line;
use super::replies::Then;
use super::server::Greeting;
use super::session::Opening;
use sa_acp::{Client, Disk, Extra, Limits, Login, Now, Processes, Profile, Secret, Server, new_parts};
use serde::Serialize;
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
    /// The files that the machine may look at.
    pub disk: Box<dyn Disk>,
    /// The key for the model's API.
    pub api_key: Option<Secret>,
    /// The variable that holds the key if the client gave it for its sessions.
    pub token_variable: Option<String>,
    /// The address of the model's API, if not the CLI's own.
    pub base_url: Option<String>,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Set if a client may choose models that the CLI does not list.
    pub any_model: bool,
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
    pub(super) server: Server<Opening, Then>,
    /// The handshake with the app-server.
    pub(super) greeting: Greeting,
    /// Sessions that cannot be opened yet.
    pub(super) held: Vec<Held>,
    /// The models that it offers.
    pub(super) models: Vec<Model>,
    /// Set if its own sandbox works here. Modes that need it are not offered otherwise, and plan mode is kept by
    /// refusing what may change something.
    pub(super) sandbox: bool,
    /// `true` if it unloads threads when they are closed.
    pub(super) unloads: bool,
    /// The provider of the user's own that has to take the client's key.
    pub(super) provider: Option<String>,
}

/// Codex as a pure state machine.
pub type Machine = sa_acp::Machine<Core>;

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        let (now, client, processes) = new_parts(&PROFILE);
        Self {
            now,
            client,
            processes,
            host,
            server: Server::default(),
            greeting: Greeting::default(),
            held: Vec::new(),
            models: Vec::new(),
            sandbox: false,
            unloads: true,
            provider: None,
        }
    }
}

impl Core {
    /// Sends a request to the app-server. Every request has a deadline, because the app-server does not answer all.
    pub(super) fn ask(&mut self, method: &str, params: impl Serialize, within: Duration, then: Then) {
        let deadline = Some(self.now.elapsed.saturating_add(within));
        self.server.ask(&mut self.processes, deadline, then, |id| line::request(id, method, params));
    }

    /// Sends a request whose answer is only logged.
    pub(super) fn order(&mut self, method: &'static str, params: impl Serialize) {
        self.ask(method, params, self.host.limits.control, Then::Nothing(method));
    }

    /// Writes a line to the app-server.
    pub(super) fn write(&mut self, line: Vec<u8>) {
        if let Some(child) = self.server.child() {
            self.processes.write(child, line);
        }
    }
}
