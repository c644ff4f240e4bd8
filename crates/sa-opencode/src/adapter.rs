//! The server's lines, and the jobs and requests around them.

use super::core::Core;
use super::launch::Launch;
use super::limits::{BROKEN, PORTS};
use super::native::call::{Call, of_session};
use super::native::event::{Event, SourcedEvent};
use super::native::line::WireLine;
use super::openings::Opening;
use super::replies::{Outcome, Then};
use super::servers::servers;
use super::session::Session;
use super::wire;
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Ended, Job, ListRequest, OpenRequest, Served, Server, Sessions, Wire, clipped, failure};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

impl Served for Core {
    type Opening = Opening;
    type Then = Then;

    fn server(&mut self) -> &mut Server<Opening, Then> {
        &mut self.server
    }

    fn launch(&mut self) -> Launch {
        Launch { endpoint: self.host.endpoints.next() }
    }

    /// The server speaks first, when it accepts connections.
    fn greet(&mut self) {
        self.ready_by = Some(self.io.now.elapsed.saturating_add(self.host.limits.handshake));
    }

    fn restarts_for_login(&self, sessions: &Sessions<Session>) -> bool {
        sessions.is_empty() && self.openings.is_empty()
    }

    fn check_opening(&self, sessions: &Sessions<Session>, request: OpenRequest) -> Result<Opening, Error> {
        let request = request.resolve(|path| self.host.disk.is_directory(path), servers)?;
        if let Some(id) = request.how.continued() {
            let is_opening = self.openings.values().any(|opening| opening.request.how.origin() == Some(id));
            match sessions.get(&id.0) {
                Some(session) if session.conversation.is_open() && !is_opening => {
                    session.may_move(&request.workspace)?
                }
                None if !is_opening => {}
                _ => return Err(failure("the session is being opened or closed already", "busy")),
            }
        }
        Ok(Opening::new(request))
    }

    fn run(&mut self, sessions: &mut Sessions<Session>, job: Job<Opening>) {
        match job {
            Job::Open(opening) => self.begin(*opening),
            Job::Revive(id) => self.in_session(sessions, &id, Session::revive),
            Job::Authenticate(key) => {
                let call = Call::get("/config/providers").within(&self.host.home);
                self.ask(&call, Some(self.host.limits.open), Then::Authenticated(key));
            }
            Job::List(request) => self.list_sessions(request),
            // Every other request about the session has to name its directory.
            Job::Delete(key, id) => {
                let call = Call::get(of_session(&id.0, "")).within(&self.host.home);
                self.ask_soon(&call, Then::Found(key, id));
            }
        }
    }

    fn on_server_line(&mut self, sessions: &mut Sessions<Session>, line: &[u8]) -> Result<(), Value> {
        match WireLine::read(line) {
            Ok(WireLine::Event(event)) => return self.on_event(sessions, event),
            Ok(WireLine::Answer { id, status, body }) => {
                if let Some(then) = self.server.answered(id) {
                    self.on_answer(sessions, then, &Outcome::Answer(status, body));
                }
            }
            Ok(WireLine::Broken { id, reason }) => {
                let until = self.io.now.elapsed.saturating_add(BROKEN);
                self.server.broken(id, reason, until);
            }
            Ok(WireLine::Up) => self.on_connected(sessions),
            Ok(WireLine::Down(reason)) => tracing::debug!(reason, "no events of OpenCode arrive"),
            Ok(WireLine::Printed(words)) => return Err(json!({ "raw": clipped(&words) })),
            Ok(WireLine::Unparsed(reason)) => return Err(json!({ "reason": reason })),
            Err(reason) => {
                let line = String::from_utf8_lossy(line);
                return Err(json!({ "reason": reason, "raw": clipped(&line) }));
            }
        }
        Ok(())
    }

    fn on_late(&mut self, sessions: &mut Sessions<Session>, then: Then, reason: Option<String>) {
        let reason = reason.unwrap_or_else(|| "OpenCode did not answer in time".to_owned());
        self.on_answer(sessions, then, &Outcome::None(reason));
    }

    fn abandon(&mut self, then: Then, error: &Error) {
        match then {
            Then::Fact(opening, _) | Then::Opened(opening) | Then::History(opening) => {
                self.fail_opening(opening, error);
            }
            Then::Authenticated(key)
            | Then::Listed(ListRequest { key, .. })
            | Then::Found(key, _)
            | Then::Deleted(key) => self.io.client.fail(&key, error),
            // Sessions notice by themselves.
            _ => {}
        }
    }

    fn on_server_exit(&mut self) {
        self.registry.forget();
        self.ready_by = None;
    }

    /// Another port may be free.
    fn starts(&self, ended: &Ended) -> u32 {
        let is_taken = ["EADDRINUSE", "in use"].iter().any(|words| ended.stderr.contains(words));
        if is_taken { PORTS } else { 1 }
    }

    /// Gives up a server that takes too long to be ready.
    fn tick(&mut self, sessions: &mut Sessions<Session>) {
        if self.ready_by.take_if(|deadline| *deadline <= self.io.now.elapsed).is_some() {
            self.give_up(sessions, &failure("OpenCode did not start in time", "handshake_failed"));
        }
    }

    fn wake(&self) -> Option<Duration> {
        [self.server.deadline(), self.ready_by].into_iter().flatten().min()
    }

    fn wire(&self, launch: &Launch) -> Option<Wire> {
        Some(wire::connect(launch.endpoint.clone()))
    }
}

impl Core {
    /// Handles an event. One that is not known and belongs to no session is returned as an error.
    fn on_event(&mut self, sessions: &mut Sessions<Session>, text: &str) -> Result<(), Value> {
        let heard = SourcedEvent::read(text).ok_or_else(|| json!({ "raw": clipped(text) }))?;
        match (heard.event, heard.session) {
            (Event::Ignored, _) => {}
            (Event::Unknown(value), None) => return Err(json!({ "raw": value })),
            (Event::McpToolsChanged, _) | (_, None) => {}
            (event, Some(session)) => self.on_session_event(sessions, &session, event),
        }
        Ok(())
    }

    /// Handles an event about one of the server's sessions.
    pub(super) fn on_session_event(&mut self, sessions: &mut Sessions<Session>, id: &str, event: Event) {
        if let Event::Created(info) = &event
            && let Some(parent) = &info.parent
            && let Some(root) = self.root_of(sessions, parent)
        {
            self.server.offspring.insert(info.id.clone(), root);
            return;
        }
        if let Some(session) = sessions.get_mut(id) {
            return session.on_event(self, event);
        }
        let root = self.server.offspring.get(id).cloned();
        if let Some(session) = root.and_then(|root| sessions.get_mut(&root)) {
            session.on_offspring_event(self, id, event);
        }
    }

    /// Returns the client's session that a session of the server belongs to.
    fn root_of(&self, sessions: &Sessions<Session>, id: &str) -> Option<Arc<str>> {
        let own = sessions.get_key_value(id).map(|(key, _)| key.clone());
        own.or_else(|| self.server.offspring.get(id).cloned())
    }
}
