//! The whole agent without its streams: messages and the time go in, messages and effects come out.

use super::action::Answer;
use super::core::{Core, Effect, Host};
use super::faults::write_filler;
use super::sessions::Sessions;
use super::turn;
use agent_client_protocol_schema::v1::{CancelNotification, Error};
use sa_acp::{Now, RequestKey, answer, params, refusal};
use sa_jsonrpc::{Id, Kind, Message};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::time::Duration;

/// What the machine wants next.
#[derive(Debug)]
pub enum Step {
    /// It wrote something; ask again.
    Wrote,
    /// Do this, then ask again.
    Effect(Effect),
    /// Nothing to do until a message comes, or this time (since the start).
    Idle(Option<Duration>),
}

/// The demo agent as a pure state machine.
///
/// It works only when polled and does little each time, so whoever drives it decides how much is made ahead of what the
/// client has read.
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) sessions: Sessions,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self { core: Core::new(host), sessions: Sessions::default() }
    }

    /// Takes a line of the client, without its end.
    pub fn line(&mut self, now: Now, line: &[u8]) {
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
            Kind::Response => self.answered(message.shape.id.as_ref(), answer(line)),
        }
    }

    /// Takes note of a line that was too long to be kept.
    pub fn overlong(&mut self, now: Now, length: u64) {
        self.core.now = now;
        let reason = format!("a line of {length} bytes is too long");
        self.core.fail(&RequestKey::unknown(), &Error::invalid_request().data(json!({ "reason": reason })));
    }

    /// Takes note that the client will say nothing more: what is known of turns under way is stored.
    pub fn input_ended(&mut self, now: Now) {
        self.core.now = now;
        for session in self.sessions.iter_mut().filter(|session| session.turn.is_some()) {
            self.core.save(session);
        }
    }

    /// Bytes that wait to be taken by [`Machine::poll`]. Nothing should be read while they are many, as each request adds to
    /// them.
    pub fn backlog(&self) -> usize {
        self.core.outbox.len()
    }

    /// Does a little, and appends what is to be written to the client, whole lines in order, to `out`.
    pub fn poll(&mut self, now: Now, out: &mut Vec<u8>) -> Step {
        self.core.now = now;
        loop {
            // Sessions are stored before the client learns what they hold.
            if let Some(effect) = self.core.effects.pop_front() {
                return Step::Effect(effect);
            }
            if let Some(until) = self.core.silent_until.filter(|until| *until > now.elapsed) {
                return Step::Idle(Some(until));
            }
            self.core.silent_until = None;
            if write_filler(&mut self.core.filler, out) {
                return Step::Wrote;
            }
            if !self.core.outbox.is_empty() {
                hand_over(&mut self.core.outbox, out);
                return Step::Wrote;
            }
            let wake = self.sessions.advance(&mut self.core);
            if self.core.is_quiet() {
                return Step::Idle(wake);
            }
        }
    }

    fn notified(&mut self, method: &str, text: Option<&str>) {
        match method {
            "session/cancel" => {
                let Ok(cancel) = params::<CancelNotification>(text) else { return };
                if let Some(session) = self.sessions.get(&cancel.session_id) {
                    session.cancel(&mut self.core, false);
                }
            }
            "$/cancel_request" => self.cancel_request(text),
            _ => {}
        }
    }

    /// Only prompts take time; every other request was answered before its cancellation could come.
    fn cancel_request(&mut self, text: Option<&str>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancel {
            request_id: Box<RawValue>,
        }
        let Ok(cancel) = params::<Cancel>(text) else { return };
        let Some(id) = Id::from_json(cancel.request_id.get()) else { return };
        for session in self.sessions.iter_mut() {
            if session.cancel_request(&mut self.core, &id) {
                return;
            }
        }
    }

    fn answered(&mut self, id: Option<&Id>, answer: Answer) {
        let Some((id, caller)) = id.and_then(|id| self.core.calls.answered(id)) else { return };
        if let Some(session) = self.sessions.get(&caller.session) {
            turn::answered(session, &self.core, id, caller.then, answer);
        }
    }
}

/// Moves bytes; without copying them if there is nothing in the way.
fn hand_over(from: &mut Vec<u8>, to: &mut Vec<u8>) {
    if to.is_empty() {
        std::mem::swap(from, to);
    } else {
        to.append(from);
    }
}
