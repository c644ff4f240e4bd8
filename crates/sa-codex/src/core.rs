//! What every part of the agent works with: the client, the app-server, and what the agent was given from outside.

use super::launch::Launch;
use super::limits::Limits;
use super::native::answer::Model;
use super::native::line;
use super::replies::Then;
use super::session::Opening;
use sa_acp::{Client, Disk, Extra, Login, Now, Processes, Profile, Secret, Server};
use serde::Serialize;
use std::fmt;
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
    extras: &[Extra::Directories, Extra::Fork, Extra::SetModel],
};

/// What the machine needs from outside.
pub struct Host {
    /// The files that the machine may look at.
    pub disk: Box<dyn Disk>,
    /// The key for the model's API.
    pub api_key: Option<Secret>,
    /// The variable that holds the key if the client gave it for its sessions.
    pub token_variable: Option<String>,
    /// Where the model's API is, if not where the CLI expects it.
    pub base_url: Option<String>,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Whether a client may choose models that the CLI does not list.
    pub any_model: bool,
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
    /// The app-server.
    pub(super) server: Server<Opening, Then>,
    /// The models that it offers.
    pub(super) models: Vec<Model>,
    /// Whether its own sandbox works here. Modes that need it are not offered otherwise, and plan mode is kept by refusing
    /// what may change something.
    pub(super) sandbox: bool,
    /// `true` if it unloads threads when they are closed.
    pub(super) unloads: bool,
    /// The provider of the user's own that has to take the client's key.
    pub(super) provider: Option<String>,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Client::new(&PROFILE),
            processes: Processes::default(),
            host,
            server: Server::default(),
            models: Vec::new(),
            sandbox: false,
            unloads: true,
            provider: None,
        }
    }

    /// Asks the app-server something. Never is anything awaited without a bound: it does not answer everything.
    pub(super) fn ask(&mut self, method: &str, params: impl Serialize, within: Duration, then: Then) {
        let deadline = Some(self.now.elapsed.saturating_add(within));
        self.server.ask(&mut self.processes, deadline, then, |id| line::request(id, method, params));
    }

    /// The same when nothing depends on the answer.
    pub(super) fn order(&mut self, method: &'static str, params: impl Serialize) {
        self.ask(method, params, self.host.limits.control, Then::Nothing(method));
    }

    /// Tells the app-server something.
    pub(super) fn tell(&mut self, line: Vec<u8>) {
        if let Some(child) = self.server.child() {
            self.processes.write(child, line);
        }
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;

    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Launch>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}
