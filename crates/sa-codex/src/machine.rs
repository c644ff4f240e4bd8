//! The whole agent without its streams and its process.

use super::core::{Core, Host};
use super::held::Held;
use super::native::ask::Asked;
use super::native::event::{Event, OfThread};
use super::native::line::{self, Line};
use super::replies::Outcome;
use super::server::Greeting;
use super::session::Session;
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use sa_acp::{Adapter, ChildId, Ended, Job, OpenRequest, RequestKey, Session as _, Sessions, clipped};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Codex as a pure state machine, driven through [`sa_acp::Driven`].
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) greeting: Greeting,
    pub(super) sessions: Sessions<Session>,
    /// Sessions that cannot be opened yet.
    pub(super) held: Vec<Held>,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self {
            core: Core::new(host),
            greeting: Greeting::default(),
            sessions: Sessions::new(),
            held: Vec::new(),
        }
    }
}

impl Adapter for Machine {
    type Core = Core;
    type Session = Session;

    fn parts(&mut self) -> (&mut Core, &mut Sessions<Session>) {
        (&mut self.core, &mut self.sessions)
    }

    fn sessions(&self) -> &Sessions<Session> {
        &self.sessions
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.core.host.disk.is_directory(path)
    }

    /// Succeeds if there are credentials by now: those of a login in a terminal are looked for by a new process.
    fn authenticate(&mut self, key: &RequestKey) {
        if self.greeting.lacks_credentials && self.sessions.is_empty() {
            self.dismiss();
        }
        self.core.server.jobs.push_back(Job::Authenticate(key.clone()));
    }

    fn open(&mut self, request: OpenRequest) -> Result<(), Error> {
        self.open_session(request)
    }

    fn list(&mut self, key: &RequestKey, request: ListSessionsRequest) -> Result<(), Error> {
        self.core.server.jobs.push_back(Job::List(key.clone(), Box::new(request)));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.core.server.jobs.push_back(Job::Delete(key.clone(), id));
        Ok(())
    }

    fn native(&mut self, child: ChildId, line: &[u8]) {
        if self.core.server.child() != Some(child) {
            return;
        }
        match Line::read(line) {
            Ok(Line::Notification { method, params }) => self.heard(method, params),
            Ok(Line::Request { id, method, params }) => self.asked(id, method, params),
            Ok(Line::Answer { id, outcome }) => {
                let Some(then) = self.core.server.answered(id) else { return };
                let outcome = match outcome {
                    Ok(result) => Outcome::Result(result),
                    Err(refusal) => Outcome::Refused(refusal),
                };
                self.answered(then, outcome);
            }
            Err(reason) => {
                let line = String::from_utf8_lossy(line);
                self.keep(json!({ "reason": reason, "raw": clipped(&line) }));
            }
        }
    }

    fn native_overlong(&mut self, _: ChildId, length: u64) {
        self.keep(json!({ "reason": format!("a line of {length} bytes is too long") }));
    }

    fn ended(&mut self, child: ChildId, ended: &Ended) {
        if self.core.server.child() == Some(child) {
            self.server_ended(ended);
        }
    }

    fn settle(&mut self) {
        self.work();
        self.core.server.settle(&mut self.core.client, &mut self.sessions);
    }

    fn tick(&mut self) {
        for (then, _) in self.core.server.expired(self.core.now.elapsed) {
            self.answered(then, Outcome::Late);
        }
        self.open_held();
        self.tick_sessions();
        if self.sessions.values().any(Session::is_stuck) {
            tracing::warn!("the app-server does not heed an interrupt and is ended");
            self.dismiss();
        }
    }

    fn wake(&self) -> Option<Duration> {
        let held = self.held.iter().map(Held::deadline);
        self.sessions.values().filter_map(Session::wake).chain(self.core.server.deadline()).chain(held).min()
    }
}

impl Machine {
    /// Passes on what is not understood and belongs to no session: to all of them, or to the first that there will be.
    fn keep(&mut self, what: Value) {
        tracing::warn!(%what, "the app-server wrote a line that is not known");
        self.core.server.report_unknown(&mut self.core.client, &mut self.sessions, what);
    }

    /// The session of a thread, and whether the thread is one of its sub-agents'.
    fn of_thread(&mut self, thread: &str) -> Option<(&mut Session, &mut Core, bool)> {
        let found = self.sessions.iter().find(|(_, session)| session.thread() == thread);
        let (key, is_offspring) = match found {
            Some((key, _)) => (key.clone(), false),
            None => (self.core.server.offspring.get(thread)?.clone(), true),
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
                    let key = session.conversation.id.0.clone();
                    self.core.server.offspring.insert(thread.id, key);
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
        let key = session.conversation.id.0.clone();
        if is_offspring {
            session.offspring_event(core, thread, event);
        } else {
            session.event(core, event);
        }
        for thread in sent {
            if !self.sessions.values().any(|session| session.thread() == thread) {
                self.core.server.offspring.insert(thread, key.clone());
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
}
