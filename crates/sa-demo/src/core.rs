//! The state that all parts of the machine share: the client, its open requests, effects.

use super::action::Then;
use super::faults::Filler;
use super::history::Saved;
use super::session::Session;
use agent_client_protocol_schema::v1::SessionId;
use sa_acp::{Client, Extra, Login, Now, Profile};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// The demo agent, whose login always succeeds.
static PROFILE: Profile = Profile {
    name: "demo",
    title: "Demo Agent",
    namespace: "demo",
    login: Login { id: "demo", name: "Demo login", description: "Always succeeds" },
    extras: &[Extra::Audio, Extra::Directories, Extra::Fork, Extra::Http, Extra::Logout, Extra::Sse],
};

/// Looks up an environment variable.
pub type Environment = Box<dyn Fn(&str) -> Option<String> + Send>;

/// The environment of the machine, which it must not read itself.
pub struct Host {
    /// For the command `env`.
    pub env: Environment,
    /// Makes the id of a new session, never the same twice; in the order of their text, later ids come later.
    pub new_session_id: Box<dyn FnMut() -> String + Send>,
    /// The stored sessions; `None` if nothing is stored, so that [`Effect::Save`] is not wanted.
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

/// An order to the driver, apart from output to the client.
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

/// The turn that waits for the answer to a request.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) session: SessionId,
    pub(super) then: Then,
}

#[derive(Debug)]
pub(super) struct Core {
    pub(super) now: Now,
    pub(super) client: Client<Caller>,
    pub(super) host: Host,
    pub(super) effects: VecDeque<Effect>,
    /// Nothing is written before this time.
    pub(super) silent_until: Option<Duration>,
    /// Rest of a garbage line. Until it is out, nothing else can be.
    pub(super) filler: Option<Filler>,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Client::new(&PROFILE),
            host,
            effects: VecDeque::new(),
            silent_until: None,
            filler: None,
        }
    }

    /// Returns whether turns may continue: nothing waits to be written or done before.
    pub(super) fn is_quiet(&self) -> bool {
        self.client.outbox.is_empty()
            && self.effects.is_empty()
            && self.filler.is_none()
            && self.silent_until.is_none()
    }

    /// Asks the client something; the turn of `session` waits for the answer.
    pub(super) fn call(&mut self, session: &SessionId, call: Call) -> i64 {
        let caller = Caller { session: session.clone(), then: call.then };
        self.client.call(caller, &call.method, call.params)
    }

    /// Takes back what was asked for `session` and is not answered, and says so to the client.
    pub(super) fn withdraw_calls(&mut self, session: &SessionId) {
        self.client.withdraw_calls(|caller| caller.session == *session);
    }

    pub(super) fn stores(&self) -> bool {
        self.host.archive.is_some()
    }

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
