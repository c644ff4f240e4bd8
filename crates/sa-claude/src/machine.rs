//! The whole agent without its streams and processes.

use super::core::{Core, Host};
use super::session::Session;
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use sa_acp::{Adapter, ChildId, Ended, OpenRequest, RequestKey, Sessions};
use std::path::Path;

/// Claude Code as a pure state machine, driven through [`sa_acp::Driven`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) sessions: Sessions<Session>,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self { core: Core::new(host), sessions: Sessions::new() }
    }

    fn with_child(&mut self, child: ChildId, act: impl FnOnce(&mut Session, &mut Core)) {
        if let Some(session) = self.sessions.values_mut().find(|session| session.owns(child)) {
            act(session, &mut self.core);
        }
    }
}

impl Adapter for Machine {
    type Core = Core;
    type Session = Session;

    fn parts(&mut self) -> (&mut Core, &mut Sessions<Session>) {
        (&mut self.core, &mut self.sessions)
    }

    fn sessions(&self) -> &Sessions<Session> {
        &self.sessions
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.core.host.disk.is_directory(path)
    }

    fn open(&mut self, request: OpenRequest) -> Result<(), Error> {
        self.open_session(request)
    }

    fn list(&mut self, key: &RequestKey, request: ListSessionsRequest) -> Result<(), Error> {
        self.list_sessions(key, &request)
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.delete_stored(key, &id)
    }

    fn native(&mut self, child: ChildId, line: &[u8]) {
        self.with_child(child, |session, core| session.native(core, line));
    }

    fn native_overlong(&mut self, child: ChildId, length: u64) {
        self.with_child(child, |session, core| session.overlong(core, length));
    }

    fn ended(&mut self, child: ChildId, ended: &Ended) {
        self.with_child(child, |session, core| session.child_ended(core, ended));
    }
}
