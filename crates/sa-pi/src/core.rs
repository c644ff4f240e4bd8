//! The agent as a whole: its state apart from sessions, and the requests that concern no session.

use super::disk::{SessionFiles, StoredSession};
use super::launch::{Launch, Origin};
use super::session::{Opening, Session};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, Error, ListSessionsResponse, McpServer, SessionId, SessionInfo,
};
use sa_acp::{
    Adapter, Disk, Extra, How, Io, Limits, ListRequest, Login, OpenRequest, Profile, RequestKey, Sessions,
    add_unlisted, failure, invalid, session_not_found, timestamp,
};

/// Pi. Logging in is done outside of the protocol, with the CLI's own means.
static PROFILE: Profile = Profile {
    name: "pi",
    title: "Pi",
    namespace: "pi",
    login: Login {
        id: "pi-login",
        name: "Log in with Pi",
        description: "Set the key of a provider, such as ANTHROPIC_API_KEY, or run `pi` in a terminal and use /login",
    },
    extras: &[Extra::Fork, Extra::SetModel],
};

/// The configuration and the environment of the agent.
#[derive(Debug)]
pub struct Host {
    pub disk: Box<dyn Disk>,
    /// The conversations that the CLI has stored.
    pub files: Box<dyn SessionFiles>,
    /// Allows clients to switch to the mode that never asks.
    pub allow_bypass: bool,
    pub limits: Limits,
}

/// The state of the agent apart from its sessions.
#[derive(Debug)]
pub struct Core {
    pub(super) io: Io<Launch>,
    pub(super) host: Host,
    last_opening: u64,
}

impl From<Host> for Core {
    fn from(host: Host) -> Self {
        Self { io: Io::new(&PROFILE), host, last_opening: 0 }
    }
}

impl sa_acp::Core for Core {
    type Launch = Launch;
    type Session = Session;

    fn io(&mut self) -> &mut Io<Launch> {
        &mut self.io
    }
}

/// Refuses MCP servers: the CLI has no support for them.
fn servers(wanted: Vec<McpServer>) -> Result<(), Error> {
    if wanted.is_empty() { Ok(()) } else { Err(invalid("Pi has no support for MCP servers")) }
}

fn info(stored: StoredSession) -> SessionInfo {
    let updated = stored.updated.map(timestamp);
    SessionInfo::new(SessionId::new(stored.id), stored.cwd).title(stored.title).updated_at(updated)
}

impl Adapter for Core {
    fn open(&mut self, sessions: &mut Sessions<Session>, request: OpenRequest) -> Result<(), Error> {
        let request = request.resolve(|path| self.host.disk.is_directory(path), servers)?;
        if let Some(session) = request.how.continued().and_then(|id| sessions.get_mut(&id.0)) {
            return session.reopen(self, request);
        }
        let OpenRequest { key, how, workspace } = request;
        let stored = match how.origin() {
            Some(id) => Some(self.host.files.find(&id.0).ok_or_else(|| session_not_found(id))?),
            None => None,
        };
        let origin = match (&how, stored) {
            (How::Forked(_), Some(stored)) => Origin::Copy(stored.file),
            (_, Some(stored)) if stored.cwd == workspace.cwd => Origin::File(stored.file),
            // The CLI works where the conversation began, wherever it is started.
            (_, Some(stored)) => {
                return Err(invalid(format!("the session belongs to {}", stored.cwd.display())));
            }
            (_, None) => Origin::New,
        };
        self.last_opening += 1;
        let unknown = || SessionId::new(format!("opening-{}", self.last_opening));
        let id = how.continued().cloned().unwrap_or_else(unknown);
        let mut session = Session::new(id.clone(), workspace, &self.host);
        session.start(self, origin, Some(Opening { key, how }));
        sessions.insert(id.0, session);
        Ok(())
    }

    /// Files sessions whose ids the CLI has reported under these ids.
    fn settle(&mut self, sessions: &mut Sessions<Session>) {
        let renamed: Vec<_> =
            sessions.extract_if(.., |key, session| *key != session.conversation.id.0).collect();
        sessions.extend(renamed.into_iter().map(|(_, session)| (session.conversation.id.0.clone(), session)));
        sessions.retain(|_, session| !session.conversation.is_closed());
    }

    fn list(&mut self, sessions: &mut Sessions<Session>, request: ListRequest) -> Result<(), Error> {
        let cwd = request.page.cwd.as_deref();
        let mut listed = self.host.files.list(cwd).into_iter().map(info).collect();
        // Nothing is stored of a session before its first answer.
        add_unlisted(&mut listed, sessions.values().map(Session::info), cwd);
        self.io.client.reply(&request.key, ListSessionsResponse::new(listed));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        let deleted = self.host.files.delete(&id.0);
        deleted.map_err(|error| failure(format!("the session cannot be removed: {error}"), "storage"))?;
        self.io.client.reply(key, DeleteSessionResponse::new());
        Ok(())
    }
}
