//! The whole agent without its streams and processes.

use super::core::{Core, Host};
use super::delegate::{Answered, Asked};
use super::errand::{AgentModes, Errand, Ready};
use super::session::Session;
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use sa_acp::{Adapter, ChildId, Ended, OpenRequest, RequestKey, Session as _, Sessions, VisitorId};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Amp as a pure state machine, driven through [`sa_acp::Driven`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) sessions: Sessions<Session>,
    pub(super) errands: BTreeMap<ChildId, Errand>,
    pub(super) agent_modes: AgentModes,
    pub(super) ready: Vec<Ready>,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self {
            core: Core::new(host),
            sessions: Sessions::new(),
            errands: BTreeMap::new(),
            agent_modes: AgentModes::default(),
            ready: Vec::new(),
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
        self.list_threads(key, request)
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.delete_stored(key, &id)
    }

    fn native(&mut self, child: ChildId, line: &[u8]) {
        if !self.errand_printed(child, line) {
            self.with_child(child, |session, core| session.native(core, line));
        }
    }

    fn native_overlong(&mut self, child: ChildId, length: u64) {
        self.with_child(child, |session, core| session.overlong(core, length));
    }

    fn ended(&mut self, child: ChildId, ended: &Ended) {
        if !self.errand_ended(child, ended) {
            self.with_child(child, |session, core| session.child_ended(core, ended));
        }
    }

    /// Deletes what is stored of sessions that are closed where that was wanted, too.
    fn settle(&mut self) {
        let gone: Vec<_> =
            self.sessions.extract_if(.., |_, session| session.conversation.is_closed()).collect();
        for (id, session) in gone {
            if !session.deletes.is_empty() {
                self.delete_thread(&id, session.deletes);
            }
        }
    }

    fn tick(&mut self) {
        self.enforce_errands();
        self.tick_sessions();
    }

    fn wake(&self) -> Option<Duration> {
        let errands = self.errands.values().filter_map(Errand::deadline);
        errands.chain(self.sessions.values().filter_map(Session::wake)).min()
    }

    fn visited(&mut self, visitor: VisitorId, line: &[u8]) {
        let asked = serde_json::from_slice::<Asked>(line).ok();
        let session = asked.as_ref().and_then(|asked| self.sessions.get_mut(asked.thread.as_str()));
        match (session, asked) {
            (Some(session), Some(asked)) => session.asked(&mut self.core, visitor, asked),
            _ => {
                let reason = Some("there is no such session".to_owned());
                self.core.answer_visitor(visitor, Answered { allow: false, reason }.line());
            }
        }
    }

    fn left(&mut self, visitor: VisitorId) {
        for session in self.sessions.values_mut() {
            session.visitor_left(&mut self.core, visitor);
        }
    }

    fn next_answer(&mut self) -> Option<(VisitorId, Vec<u8>)> {
        self.core.next_answer()
    }
}

impl Machine {
    fn with_child(&mut self, child: ChildId, act: impl FnOnce(&mut Session, &mut Core)) {
        if let Some(session) = self.sessions.values_mut().find(|session| session.owns(child)) {
            act(session, &mut self.core);
        }
    }
}
