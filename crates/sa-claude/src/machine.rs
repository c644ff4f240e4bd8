//! The whole agent without its streams and processes.

use super::core::{Core, Host};
use super::launch::Launch;
use super::session::Session;
use agent_client_protocol_schema::v1::{CancelNotification, Error, SessionId};
use sa_acp::{Adapter, ChildId, Effect, Ended, Now, RequestKey, answer, params, refusal, session_not_found};
use sa_jsonrpc::{Id, Kind, Message};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Claude Code as a pure state machine, driven through [`Adapter`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) sessions: BTreeMap<Arc<str>, Session>,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self { core: Core::new(host), sessions: BTreeMap::new() }
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
        self.sweep();
    }

    fn overlong(&mut self, now: Now, length: u64) {
        self.core.now = now;
        let reason = format!("a line of {length} bytes is too long");
        self.core.fail(&RequestKey::unknown(), &Error::invalid_request().data(json!({ "reason": reason })));
    }

    fn native(&mut self, now: Now, child: ChildId, line: &[u8]) {
        self.with_child(now, child, |session, core| session.native(core, line));
    }

    fn native_overlong(&mut self, now: Now, child: ChildId, length: u64) {
        self.with_child(now, child, |session, core| session.overlong(core, length));
    }

    fn ended(&mut self, now: Now, child: ChildId, ended: &Ended) {
        self.with_child(now, child, |session, core| session.child_ended(core, ended));
    }

    fn tick(&mut self, now: Now) {
        self.core.now = now;
        for session in self.sessions.values_mut() {
            if session.wake().is_some_and(|wake| wake <= now.elapsed) {
                session.tick(&mut self.core);
            }
        }
        self.sweep();
    }

    fn wake(&self) -> Option<Duration> {
        self.sessions.values().filter_map(Session::wake).min()
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

    fn with_child(&mut self, now: Now, child: ChildId, act: impl FnOnce(&mut Session, &mut Core)) {
        self.core.now = now;
        let Some(session) = self.sessions.values_mut().find(|session| session.owns(child)) else { return };
        act(session, &mut self.core);
        self.sweep();
    }

    /// Forgets sessions of which nothing is left.
    fn sweep(&mut self) {
        self.sessions.retain(|_, session| !session.is_gone());
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
