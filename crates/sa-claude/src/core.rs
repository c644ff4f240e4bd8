//! The state of the agent apart from its sessions, and its configuration.

use super::launch::Launch;
use super::session::Session;
use super::token::Token;
use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use sa_acp::{Extra, Io, Limits, Login, Profile};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Claude Code. Logging in is done outside of the protocol, with the CLI's own means.
pub(super) static PROFILE: Profile = Profile {
    name: "claude",
    title: "Claude Code",
    namespace: "claudeCode",
    login: Login {
        id: "claude-login",
        name: "Log in with Claude Code",
        description: "Set ANTHROPIC_API_KEY, or run `claude` in a terminal and log in there",
    },
    extras: &[Extra::Directories, Extra::Fork, Extra::Http, Extra::ImageUrls, Extra::SetModel, Extra::Sse],
};

/// The files that the machine needs to know of, and must not touch itself.
pub trait Disk: Send {
    fn is_directory(&self, path: &Path) -> bool;

    /// A page of the stored sessions.
    fn list(&self, cwd: Option<&Path>, cursor: Option<&str>) -> Result<ListSessionsResponse, Error>;

    /// Returns what was said in a stored session; `None` if there is none of that id.
    fn read(&self, session: &str, cwd: &Path) -> Result<Option<Vec<SessionUpdate>>, Error>;

    /// The permission mode that a stored session was in last.
    fn mode(&self, session: &str, cwd: &Path) -> Option<String>;

    /// Returns the conversation in which a cleared session continues.
    fn conversation(&self, session: &str) -> Option<String>;

    /// Notes that a session continues in this conversation.
    fn moved(&self, session: &str, conversation: &str) -> io::Result<()>;

    /// Removes a stored session; none of that id is fine, too.
    fn delete(&self, session: &str) -> Result<(), Error>;
}

/// The configuration and the environment of the agent.
pub struct Host {
    /// Makes the id of a new session or message: a UUID.
    pub new_id: Box<dyn FnMut() -> String + Send>,
    pub disk: Box<dyn Disk>,
    /// The directory of plans: the only files that change in plan mode.
    pub plans: PathBuf,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Set if the CLI is run by the superuser.
    pub is_root: bool,
    /// Set if a client may choose models that the CLI does not list.
    pub any_model: bool,
    /// The credential that the client gave for its sessions.
    pub token: Option<Token>,
    pub limits: Limits,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The state of the agent apart from its sessions.
#[derive(Debug)]
pub struct Core {
    pub(super) io: Io<Launch>,
    pub(super) host: Host,
    /// The sizes of models' contexts, as far as turns have shown them, by full name.
    pub(super) windows: BTreeMap<String, u64>,
}

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        Self { io: Io::new(&PROFILE), host, windows: BTreeMap::new() }
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;
    type Session = Session;

    fn io(&mut self) -> &mut Io<Launch> {
        &mut self.io
    }
}
