//! The whole agent without its streams and its process.

use super::core::{Core, Host};
use super::launch::Launch;
use super::limits::BROKEN;
use super::native::event::{Event, Heard};
use super::native::line::Line;
use super::openings::Opening;
use super::replies::Outcome;
use super::session::Session;
use super::wire;
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use sa_acp::{Adapter, ChildId, Ended, Job, OpenRequest, RequestKey, Session as _, Sessions, Wire, clipped};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// OpenCode as a pure state machine, driven through [`sa_acp::Driven`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    /// When the server has to be ready.
    pub(super) ready_by: Option<Duration>,
    pub(super) sessions: Sessions<Session>,
    /// Sessions that are being opened.
    pub(super) openings: BTreeMap<u64, Opening>,
    pub(super) last_opening: u64,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self {
            core: Core::new(host),
            ready_by: None,
            sessions: Sessions::new(),
            openings: BTreeMap::new(),
            last_opening: 0,
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

    /// Succeeds if there are credentials by now: those of a login in a terminal are looked for by a new process.
    fn authenticate(&mut self, key: &RequestKey) {
        if self.sessions.is_empty() && self.openings.is_empty() {
            self.dismiss();
        }
        self.core.server.jobs.push_back(Job::Authenticate(key.clone()));
    }

    fn open(&mut self, request: OpenRequest) -> Result<(), Error> {
        self.open_session(request)
    }

    fn list(&mut self, key: &RequestKey, request: ListSessionsRequest) -> Result<(), Error> {
        self.core.server.jobs.push_back(Job::List(key.clone(), Box::new(request)));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.core.server.jobs.push_back(Job::Delete(key.clone(), id));
        Ok(())
    }

    fn native(&mut self, child: ChildId, line: &[u8]) {
        if self.core.server.child() != Some(child) {
            return;
        }
        match Line::read(line) {
            Ok(Line::Event(event)) => self.heard(event),
            Ok(Line::Answer { id, status, body }) => {
                if let Some(then) = self.core.server.answered(id) {
                    self.answered(then, &Outcome::Answer(status, body));
                }
            }
            Ok(Line::Broken { id, reason }) => {
                let until = self.core.now.elapsed.saturating_add(BROKEN);
                self.core.server.broken(id, reason, until);
            }
            Ok(Line::Up) => self.up(),
            Ok(Line::Down(reason)) => tracing::debug!(reason, "no events of OpenCode arrive"),
            Ok(Line::Printed(words)) => {
                self.keep(json!({ "raw": clipped(&words) }));
            }
            Ok(Line::Unparsed(reason)) => self.keep(json!({ "reason": reason })),
            Err(reason) => {
                let line = String::from_utf8_lossy(line);
                self.keep(json!({ "reason": reason, "raw": clipped(&line) }));
            }
        }
    }

    fn native_overlong(&mut self, _: ChildId, length: u64) {
        self.keep(json!({ "reason": format!("a line of {length} bytes is too long") }));
    }

    fn ended(&mut self, child: ChildId, ended: &Ended) {
        if self.core.server.child() == Some(child) {
            self.server_ended(ended);
        }
    }

    fn settle(&mut self) {
        self.work();
        self.core.server.settle(&mut self.core.client, &mut self.sessions);
    }

    fn tick(&mut self) {
        for (then, broken) in self.core.server.expired(self.core.now.elapsed) {
            let reason = broken.unwrap_or_else(|| "OpenCode did not answer in time".to_owned());
            self.answered(then, &Outcome::None(reason));
        }
        self.enforce_ready();
        self.tick_sessions();
        if self.sessions.values().any(Session::is_stuck) {
            tracing::warn!("the server does not heed an abort and is ended");
            self.dismiss();
        }
    }

    fn wake(&self) -> Option<Duration> {
        let own = [self.core.server.deadline(), self.ready_by].into_iter().flatten();
        self.sessions.values().filter_map(Session::wake).chain(own).min()
    }

    fn wire(&self, launch: &Launch) -> Option<Wire> {
        Some(wire::connect(launch.endpoint.clone()))
    }
}

impl Machine {
    /// Passes on what is not understood and belongs to no session: to all of them, or to the first that there will be.
    fn keep(&mut self, what: Value) {
        tracing::warn!(%what, "OpenCode wrote something that is not known");
        self.core.server.report_unknown(&mut self.core.client, &mut self.sessions, what);
    }

    /// The server tells something.
    fn heard(&mut self, text: &str) {
        let Some(heard) = Heard::read(text) else {
            return self.keep(json!({ "raw": clipped(text) }));
        };
        match (heard.event, heard.session) {
            (Event::Ignored, _) => {}
            (Event::Unknown(value), None) => self.keep(json!({ "raw": value })),
            (Event::McpToolsChanged, _) | (_, None) => {}
            (event, Some(session)) => self.heard_of(&session, event),
        }
    }

    /// The server tells something about one of its sessions.
    pub(super) fn heard_of(&mut self, id: &str, event: Event) {
        if let Event::Created(info) = &event
            && let Some(parent) = &info.parent
            && let Some(root) = self.root_of(parent)
        {
            self.core.server.offspring.insert(info.id.clone(), root);
            return;
        }
        if let Some(session) = self.sessions.get_mut(id) {
            return session.event(&mut self.core, event);
        }
        let root = self.core.server.offspring.get(id).cloned();
        if let Some(session) = root.and_then(|root| self.sessions.get_mut(&root)) {
            session.offspring_event(&mut self.core, id, event);
        }
    }

    /// The session of a client that a session of the server belongs to.
    fn root_of(&self, id: &str) -> Option<Arc<str>> {
        let own = self.sessions.get_key_value(id).map(|(key, _)| key.clone());
        own.or_else(|| self.core.server.offspring.get(id).cloned())
    }
}
