//! What every part of the machine writes to: the client, its open requests, the outside world.

use super::action::Then;
use super::faults::Filler;
use super::history::Saved;
use super::session::Session;
use agent_client_protocol_schema::v1::{Error, SessionId, SessionUpdate};
use sa_acp::{
    Calls, Handshake, Now, RequestKey, write_error, write_notification, write_request, write_result,
};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// Looks up an environment variable.
pub type Environment = Box<dyn Fn(&str) -> Option<String> + Send>;

/// What the machine needs from outside, and must not fetch itself.
pub struct Host {
    /// For the command `env`.
    pub env: Environment,
    /// Makes the id of a new session, never the same twice; in the order of their text, later ids come later.
    pub new_session_id: Box<dyn FnMut() -> String + Send>,
    /// What was stored of sessions; `None` if nothing is, so that [`Effect::Save`] is not wanted.
    pub archive: Option<Box<dyn Archive>>,
}

/// Stored sessions, of this process and of others.
pub trait Archive: fmt::Debug + Send {
    /// The ids of all of them.
    fn session_ids(&self) -> Vec<String>;

    /// One of them; its history may be missing.
    fn summary(&self, session: &SessionId) -> Option<Saved>;

    /// One of them with all that was said.
    fn session(&self, session: &SessionId) -> Option<Saved>;
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("archive", &self.archive).finish_non_exhaustive()
    }
}

/// Something to do besides writing to the client.
#[derive(Debug)]
pub enum Effect {
    /// Store a session, instead of what was stored of it before.
    Save(Box<Saved>),
    /// Remove what was stored of a session.
    Forget(SessionId),
    /// Write a line to standard error.
    Stderr(String),
    /// Read nothing any more.
    StopReading,
    /// Close standard output, after what was written before.
    CloseOutput,
    /// End the process with this code, after what was written before.
    Exit(u8),
    /// End the process by SIGABRT, after what was written before.
    Abort,
}

/// A request to the client.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: Cow<'static, str>,
    pub(super) params: Option<Box<RawValue>>,
    pub(super) then: Then,
}

impl Call {
    pub(super) fn new(method: &'static str, params: &impl Serialize, then: Then) -> Self {
        // All that is sent by this name is made of the schema's own types, which always have a JSON form.
        let params = serde_json::value::to_raw_value(params).ok();
        Self { method: method.into(), params, then }
    }
}

/// What waits for the answer to a request: a turn of a session.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) session: SessionId,
    pub(super) then: Then,
}

/// See the module's comment.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) now: Now,
    pub(super) client: Handshake,
    pub(super) calls: Calls<Caller>,
    pub(super) host: Host,
    /// Lines for the client, in order.
    pub(super) outbox: Vec<u8>,
    pub(super) effects: VecDeque<Effect>,
    /// Nothing is written before this time.
    pub(super) silent_until: Option<Duration>,
    /// Rest of a garbage line. Until it is out, nothing else can be.
    pub(super) filler: Option<Filler>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    session_id: &'a SessionId,
    update: &'a SessionUpdate,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Handshake::default(),
            calls: Calls::new(),
            host,
            outbox: Vec::new(),
            effects: VecDeque::new(),
            silent_until: None,
            filler: None,
        }
    }

    /// Whether turns may go on: nothing waits to be written or done before.
    pub(super) fn is_quiet(&self) -> bool {
        self.outbox.is_empty()
            && self.effects.is_empty()
            && self.filler.is_none()
            && self.silent_until.is_none()
    }

    /// Answers a request.
    pub(super) fn reply(&mut self, key: &RequestKey, result: impl Serialize) {
        write_result(&mut self.outbox, &key.text, result);
    }

    /// Refuses a request.
    pub(super) fn fail(&mut self, key: &RequestKey, error: &Error) {
        write_error(&mut self.outbox, &key.text, error);
    }

    /// Tells the client something about a session.
    pub(super) fn update(&mut self, session_id: &SessionId, update: &SessionUpdate) {
        self.notify("session/update", Some(Update { session_id, update }));
    }

    /// Sends any notification.
    pub(super) fn notify(&mut self, method: &str, params: Option<impl Serialize>) {
        write_notification(&mut self.outbox, method, params);
    }

    /// Asks the client something; the turn of `session` waits for the answer.
    pub(super) fn call(&mut self, session: &SessionId, call: Call) -> i64 {
        let id = self.calls.open(Caller { session: session.clone(), then: call.then });
        write_request(&mut self.outbox, id, &call.method, call.params);
        id
    }

    /// Takes back what was asked for `session` and is not answered, and says so to the client.
    pub(super) fn withdraw_calls(&mut self, session: &SessionId) {
        for id in self.calls.withdraw(|caller| caller.session == *session) {
            self.notify("$/cancel_request", Some(serde_json::json!({ "requestId": id })));
        }
    }

    /// Whether sessions are stored.
    pub(super) fn stores(&self) -> bool {
        self.host.archive.is_some()
    }

    /// The ids of all stored sessions.
    pub(super) fn stored_ids(&self) -> Vec<String> {
        let mut ids = self.host.archive.as_ref().map(|archive| archive.session_ids()).unwrap_or_default();
        ids.extend(self.effects.iter().filter_map(|effect| match effect {
            Effect::Save(saved) => Some(saved.session_id().to_string()),
            _ => None,
        }));
        ids
    }

    /// A stored session, read by `read` unless it is still on its way to the archive.
    pub(super) fn stored(
        &self,
        session: &SessionId,
        read: impl Fn(&dyn Archive, &SessionId) -> Option<Saved>,
    ) -> Option<Saved> {
        let archive = self.host.archive.as_ref()?;
        let under_way = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Save(saved) if saved.session_id() == session => Some(Some(Saved::clone(saved))),
            Effect::Forget(forgotten) if forgotten == session => Some(None),
            _ => None,
        });
        under_way.unwrap_or_else(|| read(archive.as_ref(), session))
    }

    /// Has a session stored, if sessions are stored at all.
    pub(super) fn save(&mut self, session: &Session) {
        if self.stores() {
            self.effects.push_back(Effect::Save(Box::new(session.to_saved())));
        }
    }
}
