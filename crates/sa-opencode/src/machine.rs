//! The whole agent without its streams and its process.

use super::core::{Core, Host};
use super::launch::Launch;
use super::limits::{KEPT_LINE, MAX_KEPT};
use super::native::event::{Event, Heard};
use super::native::line::Line;
use super::openings::Opening;
use super::replies::Outcome;
use super::server::Server;
use super::session::Session;
use super::wire;
use agent_client_protocol_schema::v1::{CancelNotification, Error, SessionId};
use sa_acp::{
    Adapter, ChildId, Effect, Ended, Now, RequestKey, Wire, answer, params, refusal, session_not_found,
};
use sa_jsonrpc::{Id, Kind, Message};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// OpenCode as a pure state machine, driven through [`Adapter`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) server: Server,
    pub(super) sessions: BTreeMap<Arc<str>, Session>,
    /// Sessions that are being opened.
    pub(super) openings: BTreeMap<u64, Opening>,
    pub(super) last_opening: u64,
    /// Sessions of sub-agents, each with the one of the client that it works for.
    offspring: BTreeMap<String, Arc<str>>,
    /// What was not understood before there was a session to tell it to.
    unparsed: Vec<Value>,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self {
            core: Core::new(host),
            server: Server::default(),
            sessions: BTreeMap::new(),
            openings: BTreeMap::new(),
            last_opening: 0,
            offspring: BTreeMap::new(),
            unparsed: Vec::new(),
        }
    }
}

impl Adapter for Machine {
    type Launch = Launch;

    fn line(&mut self, now: Now, line: &[u8]) {
        self.core.now = now;
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(invalid) => return self.core.fail(&RequestKey::unknown(), &refusal(&invalid)),
        };
        let method = message.method().unwrap_or_default();
        match message.shape.kind {
            Kind::Request => {
                let key = RequestKey::of(&message);
                if let Err(error) = self.serve(&key, &method, message.params()) {
                    self.core.fail(&key, &error);
                }
            }
            Kind::Notification => self.notified(&method, message.params()),
            Kind::Response => {
                let Some(id) = message.shape.id.as_ref() else { return };
                let Some((_, caller)) = self.core.calls.answered(id) else { return };
                if let Some(session) = self.sessions.get_mut(&caller.session.0) {
                    session.answered(&mut self.core, &caller.ask, answer(line));
                }
            }
        }
        self.settle();
    }

    fn overlong(&mut self, now: Now, length: u64) {
        self.core.now = now;
        let reason = format!("a line of {length} bytes is too long");
        self.core.fail(&RequestKey::unknown(), &Error::invalid_request().data(json!({ "reason": reason })));
    }

    fn native(&mut self, now: Now, child: ChildId, line: &[u8]) {
        self.core.now = now;
        if self.core.child != Some(child) {
            return;
        }
        match Line::read(line) {
            Ok(Line::Event(event)) => self.heard(event),
            Ok(Line::Answer { id, status, body }) => {
                if let Some(then) = self.core.answered(id) {
                    self.answered(then, &Outcome::Answer(status, body));
                }
            }
            Ok(Line::Broken { id, reason }) => self.core.broken(id, reason),
            Ok(Line::Up) => self.up(),
            Ok(Line::Down(reason)) => tracing::debug!(reason, "no events of OpenCode arrive"),
            Ok(Line::Printed(words)) => {
                self.keep(json!({ "raw": words.chars().take(KEPT_LINE).collect::<String>() }));
            }
            Ok(Line::Unparsed(reason)) => self.keep(json!({ "reason": reason })),
            Err(reason) => {
                let line = String::from_utf8_lossy(line);
                self.keep(
                    json!({ "reason": reason, "raw": line.chars().take(KEPT_LINE).collect::<String>() }),
                );
            }
        }
        self.settle();
    }

    fn native_overlong(&mut self, now: Now, _: ChildId, length: u64) {
        self.core.now = now;
        self.keep(json!({ "reason": format!("a line of {length} bytes is too long") }));
    }

    fn ended(&mut self, now: Now, child: ChildId, ended: &Ended) {
        self.core.now = now;
        if self.core.child == Some(child) {
            self.server_ended(ended);
            self.settle();
        }
    }

    fn tick(&mut self, now: Now) {
        self.core.now = now;
        for (then, broken) in self.core.expired() {
            let reason = broken.unwrap_or_else(|| "OpenCode did not answer in time".to_owned());
            self.answered(then, &Outcome::None(reason));
        }
        self.enforce_ready();
        for session in self.sessions.values_mut() {
            if session.wake().is_some_and(|wake| wake <= now.elapsed) {
                session.tick(&mut self.core);
            }
        }
        if self.sessions.values().any(Session::is_stuck) {
            tracing::warn!("the server does not heed an abort and is ended");
            self.dismiss();
        }
        self.settle();
    }

    fn wake(&self) -> Option<Duration> {
        let own = [self.core.deadline(), self.server.deadline()].into_iter().flatten();
        self.sessions.values().filter_map(Session::wake).chain(own).min()
    }

    fn take_output(&mut self, out: &mut Vec<u8>) {
        self.core.take_output(out);
    }

    fn next_effect(&mut self) -> Option<Effect<Launch>> {
        self.core.next_effect()
    }

    fn wire(&self, launch: &Launch) -> Option<Wire> {
        Some(wire::connect(launch.door.clone()))
    }
}

impl Machine {
    pub(super) fn session(&mut self, id: &SessionId) -> Result<&mut Session, Error> {
        let session = self.sessions.get_mut(&id.0).filter(|session| session.is_open());
        session.ok_or_else(|| session_not_found(id))
    }

    /// Passes on what is not understood and belongs to no session: to all of them, or to the first that there will be.
    fn keep(&mut self, what: Value) {
        tracing::warn!(%what, "OpenCode wrote something that is not known");
        if self.sessions.is_empty() {
            self.unparsed.push(what);
            self.unparsed.truncate(MAX_KEPT);
            return;
        }
        for session in self.sessions.values_mut() {
            session.keep(&mut self.core, what.clone());
        }
    }

    fn tell_kept(&mut self) {
        let Some(session) = self.sessions.values_mut().next() else { return };
        for what in std::mem::take(&mut self.unparsed) {
            session.keep(&mut self.core, what);
        }
    }

    /// Does what has become possible, and forgets sessions of which nothing is left.
    fn settle(&mut self) {
        self.work();
        if !self.unparsed.is_empty() {
            self.tell_kept();
        }
        self.sessions.retain(|_, session| !session.is_gone());
        let sessions = &self.sessions;
        self.offspring.retain(|_, session| sessions.contains_key(session));
    }

    /// The server tells something.
    fn heard(&mut self, text: &str) {
        let Some(heard) = Heard::read(text) else {
            return self.keep(json!({ "raw": text.chars().take(KEPT_LINE).collect::<String>() }));
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
            self.offspring.insert(info.id.clone(), root);
            return;
        }
        if let Some(session) = self.sessions.get_mut(id) {
            return session.event(&mut self.core, event);
        }
        let root = self.offspring.get(id).cloned();
        if let Some(session) = root.and_then(|root| self.sessions.get_mut(&root)) {
            session.offspring_event(&mut self.core, id, event);
        }
    }

    /// The session of a client that a session of the server belongs to.
    fn root_of(&self, id: &str) -> Option<Arc<str>> {
        let own = self.sessions.get_key_value(id).map(|(key, _)| key.clone());
        own.or_else(|| self.offspring.get(id).cloned())
    }

    fn notified(&mut self, method: &str, text: Option<&str>) {
        match method {
            "session/cancel" => {
                let Ok(cancel) = params::<CancelNotification>(text) else { return };
                if let Some(session) = self.sessions.get_mut(&cancel.session_id.0) {
                    session.cancel(&mut self.core);
                }
            }
            "$/cancel_request" => self.cancel_request(text),
            _ => {}
        }
    }

    /// Only prompts take time that can be cut short.
    fn cancel_request(&mut self, text: Option<&str>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancel {
            request_id: Box<RawValue>,
        }
        let Ok(cancel) = params::<Cancel>(text) else { return };
        let Some(id) = Id::from_json(cancel.request_id.get()) else { return };
        for session in self.sessions.values_mut() {
            if session.cancel_request(&mut self.core, &id) {
                return;
            }
        }
    }
}
