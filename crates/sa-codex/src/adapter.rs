//! The app-server's lines, and the jobs and requests around them.

use super::core::Core;
use super::held::Held;
use super::launch::Launch;
use super::limits::COLLISIONS;
use super::native::ask::Asked;
use super::native::event::{Event, OfThread};
use super::native::line::{self, Line};
use super::replies::{Outcome, Then};
use super::server::{Greeting, is_collision};
use super::session::{Opening, Session};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Client, Ended, Job, Now, OpenRequest, Processes, Served, Server, Sessions, clipped};
use serde_json::{Value, json};
use std::time::Duration;

impl sa_acp::Core for Core {
    type Launch = Launch;

    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Launch>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}

impl Served for Core {
    type Session = Session;
    type Opening = Opening;
    type Then = Then;

    fn server(&mut self) -> &mut Server<Opening, Then> {
        &mut self.server
    }

    fn launch(&mut self) -> Launch {
        self.next_launch()
    }

    fn greet(&mut self) {
        self.send_greeting();
    }

    fn restarts_for_login(&self, sessions: &Sessions<Session>) -> bool {
        self.greeting.lacks_credentials && sessions.is_empty()
    }

    fn opening(&self, sessions: &mut Sessions<Session>, request: OpenRequest) -> Result<Opening, Error> {
        self.check_opening(sessions, request)
    }

    fn run(&mut self, sessions: &mut Sessions<Session>, job: Job<Opening>) {
        self.run_job(sessions, job);
    }

    fn on_server_line(&mut self, sessions: &mut Sessions<Session>, line: &[u8]) -> Result<(), Value> {
        match Line::read(line) {
            Ok(Line::Notification { method, params }) => {
                return self.on_notification(sessions, method, params);
            }
            Ok(Line::Request { id, method, params }) => self.on_request(sessions, id, method, params),
            Ok(Line::Answer { id, outcome }) => {
                let Some(then) = self.server.answered(id) else { return Ok(()) };
                let outcome = match outcome {
                    Ok(result) => Outcome::Result(result),
                    Err(refusal) => Outcome::Refused(refusal),
                };
                self.on_answer(sessions, then, &outcome);
            }
            Err(reason) => {
                let line = String::from_utf8_lossy(line);
                return Err(json!({ "reason": reason, "raw": clipped(&line) }));
            }
        }
        Ok(())
    }

    fn on_late(&mut self, sessions: &mut Sessions<Session>, then: Then, _: Option<String>) {
        self.on_answer(sessions, then, &Outcome::Late);
    }

    fn abandon(&mut self, then: Then, error: &Error) {
        self.fail_request(then, error);
    }

    fn on_server_exit(&mut self) {
        self.greeting = Greeting::default();
    }

    /// The process that sets up the home is done soon, so the next start finds it complete.
    fn starts(&self, ended: &Ended) -> u32 {
        if is_collision(&ended.stderr) { COLLISIONS } else { 1 }
    }

    fn drain(&self) -> Duration {
        self.host.limits.drain
    }

    fn tick(&mut self, _: &mut Sessions<Session>) {
        self.open_held();
    }

    fn wake(&self) -> Option<Duration> {
        self.held.iter().map(Held::deadline).chain(self.server.deadline()).min()
    }
}

/// A thread of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Session,
    SubAgent,
}

impl Core {
    /// Returns the session of a thread, and whether the thread is its own or a sub-agent's.
    fn session_of<'a>(
        &self,
        sessions: &'a mut Sessions<Session>,
        thread: &str,
    ) -> Option<(&'a mut Session, Owner)> {
        let own = sessions.iter().find(|(_, session)| session.thread() == thread);
        let (key, owner) = match own {
            Some((key, _)) => (key.clone(), Owner::Session),
            None => (self.server.offspring.get(thread)?.clone(), Owner::SubAgent),
        };
        Some((sessions.get_mut(&key)?, owner))
    }

    /// Handles a notification. One that is not known and belongs to no thread is returned as an error.
    fn on_notification(
        &mut self,
        sessions: &mut Sessions<Session>,
        method: &str,
        params: &str,
    ) -> Result<(), Value> {
        let about: OfThread = serde_json::from_str(params).unwrap_or_default();
        match (Event::read(method, params), about.thread_id) {
            (Event::ThreadStarted(thread), _) => {
                let parent = thread.parent_thread_id.as_deref();
                if let Some((session, _)) = parent.and_then(|parent| self.session_of(sessions, parent)) {
                    let key = session.conversation.id.0.clone();
                    self.server.offspring.insert(thread.id, key);
                }
            }
            (Event::Log(words), _) => tracing::debug!(method, words, "message of codex"),
            (Event::LoggedIn(login), _) if !login.success => {
                tracing::warn!(error = login.error, "codex could not log in");
            }
            (Event::SkillsChanged, None) => {
                for session in sessions.values_mut() {
                    session.on_event(self, Event::SkillsChanged);
                }
            }
            (event, Some(thread)) => self.on_thread_event(sessions, &thread, event),
            (Event::Unknown(value), None) => return Err(json!({ "raw": value })),
            (_, None) => {}
        }
        Ok(())
    }

    /// Handles a notification about a thread. Sub-agents are known by the calls that send them.
    fn on_thread_event(&mut self, sessions: &mut Sessions<Session>, thread: &str, event: Event) {
        let Some((session, owner)) = self.session_of(sessions, thread) else { return };
        let sent = match &event {
            Event::ItemStarted(item) | Event::ItemCompleted(item) => item.body.receivers(),
            _ => Vec::new(),
        };
        let key = session.conversation.id.0.clone();
        match owner {
            Owner::Session => session.on_event(self, event),
            Owner::SubAgent => session.on_offspring_event(self, thread, event),
        }
        for thread in sent {
            if !sessions.values().any(|session| session.thread() == thread) {
                self.server.offspring.insert(thread, key.clone());
            }
        }
    }

    /// Handles a request of the app-server. A request without an answer would block its turn forever.
    fn on_request(&mut self, sessions: &mut Sessions<Session>, id: &str, method: &str, params: &str) {
        let about: OfThread = serde_json::from_str(params).unwrap_or_default();
        let asked = Asked::read(method, params);
        let session = about.thread_id.as_deref().and_then(|thread| self.session_of(sessions, thread));
        match (asked, session) {
            (Asked::Other, _) | (_, None) => {
                tracing::debug!(method, "a request of codex has no session that can answer it");
                self.write(line::refusal(id, "the client of this thread cannot answer this request"));
            }
            (asked, Some((session, _))) => session.on_request(self, id, asked),
        }
    }
}
