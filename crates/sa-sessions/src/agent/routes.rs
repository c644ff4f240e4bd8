//! Which session gets what an agent says.

use super::mailbox::Mailbox;
use super::wire::{FromAgent, Incoming, RpcError, Scope};
use sa_api::AgentExit;
use sa_jsonrpc::Id;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};

/// Messages that come before the session they are for is known: an agent may report on a new session before it answers
/// the request that makes it.
const EARLY: usize = 256;
/// Bytes of these. One message may have more.
const EARLY_BYTES: usize = 4 << 20;

/// The notification by which an agent takes a request of its own back.
pub(crate) const CANCEL_REQUEST: &str = "$/cancel_request";

/// The receivers of messages, by the requests and the sessions that are known.
#[derive(Default)]
pub(super) struct Routes {
    calls: HashMap<u64, Waiting>,
    sessions: HashMap<String, Mailbox>,
    /// Requests of the agent that nobody has answered, by their id: a later `$/cancel_request` names nothing else.
    requests: HashMap<Id, Mailbox>,
    early: VecDeque<(String, FromAgent)>,
    ended: Option<AgentExit>,
}

struct Waiting {
    /// The caller's number of the call.
    number: u64,
    mailbox: Mailbox,
    opens: Opens,
}

/// The session that a request opens, if the agent does not refuse it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Opens {
    /// None.
    Nothing,
    /// One that the answer names; it belongs to the caller's mailbox from then on.
    New,
    /// This one, which was adopted before.
    Known(String),
}

/// The treatment of a message.
pub(super) enum Route {
    /// Deliver these to that mailbox, in this order.
    To(Mailbox, Vec<FromAgent>),
    /// Nobody is there for this request.
    Refuse { id: String, method: String },
    /// The caller that opened this session left before the answer came.
    Close(String),
    /// Nothing.
    Drop,
}

impl Routes {
    /// Has the answer to this call go to that mailbox, under the caller's number. Nothing does any more once the agent has ended.
    pub(super) fn expect(
        &mut self,
        call: u64,
        number: u64,
        mailbox: Mailbox,
        opens: Opens,
    ) -> Result<(), AgentExit> {
        match &self.ended {
            Some(exit) => Err(exit.clone()),
            None => {
                self.calls.insert(call, Waiting { number, mailbox, opens });
                Ok(())
            }
        }
    }

    /// Nobody waits for this answer any more.
    pub(super) fn forget_call(&mut self, call: u64) {
        self.calls.remove(&call);
    }

    /// Delivers what concerns this session to that mailbox.
    pub(super) fn adopt(&mut self, session: &str, mailbox: Mailbox) {
        self.sessions.insert(session.to_owned(), mailbox);
    }

    /// Stops delivering what concerns this session to that mailbox. Another that has adopted it since keeps it.
    pub(super) fn release(&mut self, session: &str, mailbox: &Mailbox) {
        if self.sessions.get(session).is_some_and(|owner| owner.is_same(mailbox)) {
            self.sessions.remove(session);
        }
        self.requests.retain(|_, asker| !asker.is_same(mailbox));
    }

    /// The agent's request of this id has its answer.
    pub(super) fn answered(&mut self, id: &str) {
        if let Some(id) = Id::from_json(id) {
            self.requests.remove(&id);
        }
    }

    /// The agent has ended: everybody who is to know.
    pub(super) fn end(&mut self, exit: AgentExit) -> Vec<Mailbox> {
        self.ended = Some(exit);
        self.requests.clear();
        let calls = std::mem::take(&mut self.calls).into_values().map(|waiting| waiting.mailbox);
        let mut mailboxes: Vec<Mailbox> = Vec::new();
        for mailbox in std::mem::take(&mut self.sessions).into_values().chain(calls) {
            if !mailboxes.iter().any(|known| known.is_same(&mailbox)) {
                mailboxes.push(mailbox);
            }
        }
        mailboxes
    }

    pub(super) fn ended(&self) -> Option<&AgentExit> {
        self.ended.as_ref()
    }

    /// All sessions.
    pub(super) fn mailboxes(&self) -> Vec<Mailbox> {
        self.sessions.values().cloned().collect()
    }

    /// Returns the receiver of a message.
    pub(super) fn route(&mut self, incoming: Incoming) -> Route {
        let Incoming { scope, message } = incoming;
        match message {
            FromAgent::Response { call, outcome } => self.on_answer(call, outcome),
            FromAgent::Notification { method, params } if method == CANCEL_REQUEST => {
                self.on_withdrawn(method, params)
            }
            message => match (self.mailbox(&scope), message) {
                (Some(mailbox), message) => {
                    self.note_request(&message, &mailbox);
                    Route::To(mailbox, vec![message])
                }
                (None, FromAgent::Request { id, method, .. })
                    if scope.session_id.is_none() || !self.opening() =>
                {
                    Route::Refuse { id, method }
                }
                (None, message) => self.keep(scope, message),
            },
        }
    }

    fn on_answer(&mut self, call: u64, outcome: Result<Box<RawValue>, RpcError>) -> Route {
        let Some(waiting) = self.calls.remove(&call) else { return Route::Drop };
        let opened = match (&outcome, &waiting.opens) {
            (Ok(result), Opens::New) => opened_session(result).ok(),
            (Ok(_), Opens::Known(session)) => Some(session.clone()),
            _ => None,
        };
        if waiting.mailbox.is_closed() {
            return opened.map_or(Route::Drop, |session| self.abandoned(session));
        }
        let mut messages = vec![FromAgent::Response { call: waiting.number, outcome }];
        if let Some(session) = opened.filter(|_| waiting.opens == Opens::New) {
            messages.extend(self.take_early(&session, &waiting.mailbox));
            self.sessions.insert(session, waiting.mailbox.clone());
        }
        Route::To(waiting.mailbox, messages)
    }

    fn mailbox(&self, scope: &Scope) -> Option<Mailbox> {
        let of_session = scope.session_id.as_ref().and_then(|session| self.sessions.get(session));
        let of_call =
            || scope.request_id.and_then(|call| self.calls.get(&call)).map(|waiting| &waiting.mailbox);
        of_session.or_else(of_call).cloned()
    }

    /// Returns whether a session is being made whose id is not known yet.
    fn opening(&self) -> bool {
        self.calls.values().any(|waiting| waiting.opens == Opens::New)
    }

    fn keep(&mut self, scope: Scope, message: FromAgent) -> Route {
        if let Some(session) = scope.session_id.filter(|_| self.opening()) {
            self.keep_early(session, message);
        }
        Route::Drop
    }

    /// Keeps a message. If there are too many, the first ones go.
    fn keep_early(&mut self, session: String, message: FromAgent) {
        self.early.push_back((session, message));
        let mut bytes: usize = self.early.iter().map(|(_, early)| early.bytes()).sum();
        while self.early.len() > EARLY || (self.early.len() > 1 && bytes > EARLY_BYTES) {
            bytes -= self.early.pop_front().map_or(0, |(_, early)| early.bytes());
        }
    }

    fn take_early(&mut self, session: &str, mailbox: &Mailbox) -> Vec<FromAgent> {
        let early = std::mem::take(&mut self.early).into_iter();
        let (mine, others): (VecDeque<_>, VecDeque<_>) = early.partition(|(of, _)| of == session);
        self.early = others;
        mine.iter().for_each(|(_, message)| self.note_request(message, mailbox));
        mine.into_iter().map(|(_, message)| message).collect()
    }

    fn note_request(&mut self, message: &FromAgent, mailbox: &Mailbox) {
        if let FromAgent::Request { id, .. } = message
            && let Some(id) = Id::from_json(id)
        {
            self.requests.insert(id, mailbox.clone());
        }
    }

    /// The agent no longer waits for the answer to a request, which may itself still wait for its session.
    fn on_withdrawn(&mut self, method: String, params: Box<RawValue>) -> Route {
        let Some(request) = withdrawn_request(&params) else { return Route::Drop };
        let message = FromAgent::Notification { method, params };
        if let Some(mailbox) = self.requests.get(&request) {
            return Route::To(mailbox.clone(), vec![message]);
        }
        let asks = |early: &FromAgent| matches!(early, FromAgent::Request { id, .. } if Id::from_json(id).as_ref() == Some(&request));
        let session = self.early.iter().find(|(_, early)| asks(early)).map(|(session, _)| session.clone());
        if let Some(session) = session {
            self.keep_early(session, message);
        }
        Route::Drop
    }

    /// A session was opened for somebody who has left. It is closed unless somebody else has taken it meanwhile.
    fn abandoned(&mut self, session: String) -> Route {
        if self.sessions.get(&session).is_some_and(|mailbox| !mailbox.is_closed()) {
            return Route::Drop;
        }
        self.sessions.remove(&session);
        self.early.retain(|(of, _)| *of != session);
        Route::Close(session)
    }
}

/// Returns the id of the session that the agent has opened.
pub(crate) fn opened_session(result: &RawValue) -> Result<String, serde_json::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Opened {
        session_id: String,
    }
    serde_json::from_str::<Opened>(result.get()).map(|opened| opened.session_id)
}

/// The request that a `$/cancel_request` names.
pub(crate) fn withdrawn_request(params: &RawValue) -> Option<Id> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled<'a> {
        #[serde(borrow)]
        request_id: &'a RawValue,
    }
    let cancelled: Cancelled<'_> = serde_json::from_str(params.get()).ok()?;
    Id::from_json(cancelled.request_id.get())
}

#[cfg(test)]
mod tests;
