//! What the state machine of every agent works with: what is known of the client, and all that goes out.

use super::calls::Calls;
use super::children::{ChildId, Effect};
use super::clock::Now;
use super::handshake::Handshake;
use super::incoming::RequestKey;
use super::outgoing::{write_error, write_notification, write_request, write_result};
use agent_client_protocol_schema::v1::{Error, Meta, SessionId, SessionInfoUpdate, SessionUpdate};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// Whom the answer of the client concerns.
#[derive(Debug)]
pub struct Caller {
    /// The session that it was asked for.
    pub session: SessionId,
    /// The question of the CLI, by its own id, that was passed on.
    pub ask: String,
}

/// See the module's comment. `L` says how a process is started.
#[derive(Debug)]
pub struct Desk<L> {
    /// The time of what is being worked on.
    pub now: Now,
    /// The client.
    pub client: Handshake,
    /// What the client was asked.
    pub calls: Calls<Caller>,
    /// Lines for the client.
    pub outbox: Vec<u8>,
    name: &'static str,
    effects: VecDeque<Effect<L>>,
    last_child: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    session_id: &'a SessionId,
    update: &'a SessionUpdate,
}

impl<L> Desk<L> {
    /// For an agent that tells under `name` what the protocol has no place for.
    pub fn new(name: &'static str) -> Self {
        Self {
            now: Now::default(),
            client: Handshake::default(),
            calls: Calls::new(),
            outbox: Vec::new(),
            name,
            effects: VecDeque::new(),
            last_child: 0,
        }
    }

    /// Answers a request.
    pub fn reply(&mut self, key: &RequestKey, result: impl Serialize) {
        write_result(&mut self.outbox, &key.text, result);
    }

    /// Refuses a request.
    pub fn fail(&mut self, key: &RequestKey, error: &Error) {
        write_error(&mut self.outbox, &key.text, error);
    }

    /// Tells the client something about a session.
    pub fn update(&mut self, session_id: &SessionId, update: &SessionUpdate) {
        write_notification(&mut self.outbox, "session/update", Some(Update { session_id, update }));
    }

    /// Tells the client something about a session that the protocol has no place for.
    pub fn remark(&mut self, session_id: &SessionId, name: &str, value: Value) {
        let about = Meta::from_iter([(self.name.to_owned(), json!({ name: value }))]);
        let update = SessionInfoUpdate::new().meta(about);
        self.update(session_id, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Asks the client something on behalf of the CLI.
    pub fn call(&mut self, caller: Caller, method: &str, params: impl Serialize) -> i64 {
        let id = self.calls.open(caller);
        write_request(&mut self.outbox, id, method, Some(params));
        id
    }

    /// Takes back one question, or all of a session.
    pub fn withdraw(&mut self, session: &SessionId, ask: Option<&str>) {
        let of = |caller: &Caller| caller.session == *session && ask.is_none_or(|ask| caller.ask == ask);
        for id in self.calls.withdraw(of) {
            write_notification(&mut self.outbox, "$/cancel_request", Some(json!({ "requestId": id })));
        }
    }

    /// Starts a process.
    pub fn start(&mut self, launch: L) -> ChildId {
        self.last_child += 1;
        let child = ChildId(self.last_child);
        self.effects.push_back(Effect::Start { child, launch: Box::new(launch) });
        child
    }

    /// Writes a line, its end included, to a process.
    pub fn write_to(&mut self, child: ChildId, line: Vec<u8>) {
        self.effects.push_back(Effect::Write { child, line });
    }

    /// Ends a process, at once if nothing is to be waited for.
    pub fn end(&mut self, child: ChildId, farewell: Duration) {
        self.effects.push_back(Effect::End { child, farewell });
    }

    /// Appends what is to be written to the client, whole lines in order, to `out`.
    pub fn take_output(&mut self, out: &mut Vec<u8>) {
        if out.is_empty() {
            std::mem::swap(&mut self.outbox, out);
        } else {
            out.append(&mut self.outbox);
        }
    }

    /// What is to be done next besides writing to the client.
    pub fn next_effect(&mut self) -> Option<Effect<L>> {
        self.effects.pop_front()
    }
}
