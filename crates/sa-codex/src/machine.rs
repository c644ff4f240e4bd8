//! The whole agent without its streams and its process.

use super::core::{Core, Host};
use super::launch::Launch;
use super::limits::{KEPT_LINE, MAX_KEPT};
use super::native::ask::Asked;
use super::native::event::{Event, OfThread};
use super::native::line::{self, Line};
use super::replies::Outcome;
use super::server::Server;
use super::session::Session;
use agent_client_protocol_schema::v1::{CancelNotification, Error, SessionId};
use sa_acp::{Adapter, ChildId, Effect, Ended, Now, RequestKey, answer, params, refusal, session_not_found};
use sa_jsonrpc::{Id, Kind, Message};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Codex as a pure state machine, driven through [`Adapter`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) server: Server,
    pub(super) sessions: BTreeMap<Arc<str>, Session>,
    /// Threads of sub-agents, each with the session that it works for.
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
            Ok(Line::Notification { method, params }) => self.heard(method, params),
            Ok(Line::Request { id, method, params }) => self.asked(id, method, params),
            Ok(Line::Answer { id, outcome }) => {
                let Some(then) = self.core.answered(id) else { return };
                let outcome = match outcome {
                    Ok(result) => Outcome::Result(result),
                    Err(refusal) => Outcome::Refused(refusal),
                };
                self.answered(then, outcome);
            }
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
        for then in self.core.expired() {
            self.answered(then, Outcome::Late);
        }
        for session in self.sessions.values_mut() {
            if session.wake().is_some_and(|wake| wake <= now.elapsed) {
                session.tick(&mut self.core);
            }
        }
        if self.sessions.values().any(Session::is_stuck) {
            tracing::warn!("the app-server does not heed an interrupt and is ended");
            self.dismiss();
        }
        self.settle();
    }

    fn wake(&self) -> Option<Duration> {
        self.sessions.values().filter_map(Session::wake).chain(self.core.deadline()).min()
    }

    fn take_output(&mut self, out: &mut Vec<u8>) {
        self.core.take_output(out);
    }

    fn next_effect(&mut self) -> Option<Effect<Launch>> {
        self.core.next_effect()
    }
}

impl Machine {
    pub(super) fn session(&mut self, id: &SessionId) -> Result<&mut Session, Error> {
        let session = self.sessions.get_mut(&id.0).filter(|session| session.is_open());
        session.ok_or_else(|| session_not_found(id))
    }

    /// Passes on what is not understood and belongs to no session: to all of them, or to the first that there will be.
    fn keep(&mut self, what: Value) {
        tracing::warn!(%what, "the app-server wrote a line that is not known");
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

    /// The session of a thread, and whether the thread is one of its sub-agents'.
    fn of_thread(&mut self, thread: &str) -> Option<(&mut Session, &mut Core, bool)> {
        let found = self.sessions.iter().find(|(_, session)| session.thread() == thread);
        let (key, is_offspring) = match found {
            Some((key, _)) => (key.clone(), false),
            None => (self.offspring.get(thread)?.clone(), true),
        };
        Some((self.sessions.get_mut(&key)?, &mut self.core, is_offspring))
    }

    /// The app-server tells something.
    fn heard(&mut self, method: &str, params: &str) {
        let about: OfThread = serde_json::from_str(params).unwrap_or_default();
        match (Event::read(method, params), about.thread_id) {
            (Event::ThreadStarted(thread), _) => {
                let parent = thread.parent_thread_id.as_deref().and_then(|parent| self.of_thread(parent));
                if let Some((session, _, _)) = parent {
                    let key = session.id.0.clone();
                    self.offspring.insert(thread.id, key);
                }
            }
            (Event::Log(words), _) => tracing::debug!(method, words, "codex says"),
            (Event::LoggedIn(login), _) if !login.success => {
                tracing::warn!(error = login.error, "codex could not log in");
            }
            (Event::SkillsChanged, None) => {
                for session in self.sessions.values_mut() {
                    session.event(&mut self.core, Event::SkillsChanged);
                }
            }
            (event, Some(thread)) => self.heard_of(&thread, event),
            (Event::Unknown(value), None) => self.keep(json!({ "raw": value })),
            (_, None) => {}
        }
    }

    /// The app-server tells something about a thread. Sub-agents are known by the calls that send them.
    fn heard_of(&mut self, thread: &str, event: Event) {
        let Some((session, core, is_offspring)) = self.of_thread(thread) else { return };
        let sent = match &event {
            Event::ItemStarted(item) | Event::ItemCompleted(item) => item.body.receivers(),
            _ => Vec::new(),
        };
        let key = session.id.0.clone();
        if is_offspring {
            session.offspring_event(core, thread, event);
        } else {
            session.event(core, event);
        }
        for thread in sent {
            if !self.sessions.values().any(|session| session.thread() == thread) {
                self.offspring.insert(thread, key.clone());
            }
        }
    }

    /// The app-server asks something. What is not answered would hold its turn up for ever.
    fn asked(&mut self, id: &str, method: &str, params: &str) {
        let about: OfThread = serde_json::from_str(params).unwrap_or_default();
        let asked = Asked::read(method, params);
        let session = about.thread_id.as_deref().and_then(|thread| self.of_thread(thread));
        match (asked, session) {
            (Asked::Other, _) | (_, None) => {
                tracing::debug!(method, "codex asked something that nobody can answer");
                self.core.tell(line::refusal(id, "the client of this thread cannot answer this request"));
            }
            (asked, Some((session, core, _))) => session.asked(core, id, asked),
        }
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
