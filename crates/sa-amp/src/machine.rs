//! The whole agent without its streams and processes.

use super::core::{Core, Host};
use super::delegate::{Answered, Asked};
use super::errand::{AgentModes, Errand, Ready};
use super::launch::Launch;
use super::session::Session;
use agent_client_protocol_schema::v1::{CancelNotification, Error, SessionId};
use sa_acp::{
    Adapter, ChildId, Effect, Ended, Now, RequestKey, VisitorId, answer, params, refusal, session_not_found,
};
use sa_jsonrpc::{Id, Kind, Message};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Amp as a pure state machine, driven through [`Adapter`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) sessions: BTreeMap<Arc<str>, Session>,
    pub(super) errands: BTreeMap<ChildId, Errand>,
    pub(super) agent_modes: AgentModes,
    pub(super) ready: Vec<Ready>,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self {
            core: Core::new(host),
            sessions: BTreeMap::new(),
            errands: BTreeMap::new(),
            agent_modes: AgentModes::default(),
            ready: Vec::new(),
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
        self.sweep();
    }

    fn overlong(&mut self, now: Now, length: u64) {
        self.core.now = now;
        let reason = format!("a line of {length} bytes is too long");
        self.core.fail(&RequestKey::unknown(), &Error::invalid_request().data(json!({ "reason": reason })));
    }

    fn native(&mut self, now: Now, child: ChildId, line: &[u8]) {
        self.core.now = now;
        if !self.errand_printed(child, line) {
            self.with_child(child, |session, core| session.native(core, line));
        }
    }

    fn native_overlong(&mut self, now: Now, child: ChildId, length: u64) {
        self.core.now = now;
        self.with_child(child, |session, core| session.overlong(core, length));
    }

    fn ended(&mut self, now: Now, child: ChildId, ended: &Ended) {
        self.core.now = now;
        if !self.errand_ended(child, ended) {
            self.with_child(child, |session, core| session.child_ended(core, ended));
        }
    }

    fn tick(&mut self, now: Now) {
        self.core.now = now;
        self.enforce_errands();
        for session in self.sessions.values_mut() {
            session.tick(&mut self.core);
        }
    }

    fn wake(&self) -> Option<Duration> {
        let errands = self.errands.values().filter_map(Errand::deadline);
        errands.chain(self.sessions.values().filter_map(Session::wake)).min()
    }

    fn take_output(&mut self, out: &mut Vec<u8>) {
        self.core.take_output(out);
    }

    fn next_effect(&mut self) -> Option<Effect<Launch>> {
        self.core.next_effect()
    }

    fn visited(&mut self, now: Now, visitor: VisitorId, line: &[u8]) {
        self.core.now = now;
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

    fn left(&mut self, now: Now, visitor: VisitorId) {
        self.core.now = now;
        for session in self.sessions.values_mut() {
            session.visitor_left(&mut self.core, visitor);
        }
    }

    fn next_answer(&mut self) -> Option<(VisitorId, Vec<u8>)> {
        self.core.next_answer()
    }
}

impl Machine {
    pub(super) fn session(&mut self, id: &SessionId) -> Result<(&mut Session, &mut Core), Error> {
        let session = self.sessions.get_mut(&id.0).filter(|session| session.is_open());
        session.map(|session| (session, &mut self.core)).ok_or_else(|| session_not_found(id))
    }

    fn with_child(&mut self, child: ChildId, act: impl FnOnce(&mut Session, &mut Core)) {
        let Some(session) = self.sessions.values_mut().find(|session| session.owns(child)) else { return };
        act(session, &mut self.core);
        self.sweep();
    }

    /// Forgets sessions that are closed, and deletes what is stored of them where that was wanted.
    fn sweep(&mut self) {
        let gone: Vec<_> = self
            .sessions
            .iter()
            .filter(|(_, session)| session.is_gone())
            .map(|(id, _)| Arc::clone(id))
            .collect();
        for id in gone {
            let Some(mut session) = self.sessions.remove(&id) else { continue };
            let keys = session.deletes();
            if !keys.is_empty() {
                self.delete_thread(&id, keys);
            }
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
