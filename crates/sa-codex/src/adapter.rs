//! The app-server's lines, and the jobs and requests around them.

use super::core::Core;
use super::launch::Launch;
use super::limits::COLLISIONS;
use super::native::ask::ServerRequest;
use super::native::event::{About, Event};
use super::native::line::{self, ServerLine};
use super::replies::{Outcome, Then};
use super::server::{ProcessFacts, is_collision};
use super::session::{Opening, Session, servers};
use agent_client_protocol_schema::v1::{Error, SessionId};
use sa_acp::{Ended, Job, ListRequest, OpenRequest, Served, Server, Sessions, clipped, failure};
use serde_json::{Value, json};
use std::time::Duration;

impl Served for Core {
    type Opening = Opening;
    type Then = Then;

    fn server(&mut self) -> &mut Server<Opening, Then> {
        &mut self.server
    }

    fn drain(&self) -> Duration {
        self.host.options.limits.drain
    }

    fn launch(&mut self) -> Launch {
        self.next_launch()
    }

    fn greet(&mut self) {
        self.send_greeting();
    }

    fn restarts_for_login(&self, sessions: &Sessions<Session>) -> bool {
        self.facts.lacks_credentials && sessions.is_empty()
    }

    fn check_opening(&self, sessions: &Sessions<Session>, request: OpenRequest) -> Result<Opening, Error> {
        let OpenRequest { key, how, workspace } =
            request.resolve(|path| self.host.disk.is_directory(path), servers)?;
        let mut is_open = false;
        if let Some(id) = how.continued() {
            let known = sessions.get(&id.0);
            if self.is_opening(id) || known.is_some_and(|session| !session.conversation.is_open()) {
                return Err(failure("the session is being opened or closed already", "busy"));
            }
            if let Some(session) = known {
                session.may_move(&workspace)?;
                is_open = true;
            }
        }
        Ok(Opening { key, how, workspace, is_open, give_up: None })
    }

    fn run(&mut self, sessions: &mut Sessions<Session>, job: Job<Opening>) {
        match job {
            Job::Open(opening) => self.open_thread(*opening),
            Job::Revive(id) => self.in_session(sessions, &id, Session::revive),
            Job::Authenticate(key) => self.log_in(&key),
            Job::List(request) => self.list_threads(request),
            Job::Delete(key, id) => {
                self.ask_soon("thread/delete", &json!({ "threadId": id }), Then::Deleted(key, id));
            }
        }
    }

    fn on_server_line(&mut self, sessions: &mut Sessions<Session>, line: &[u8]) -> Result<(), Value> {
        match ServerLine::read(line) {
            Ok(ServerLine::Notification { method, params }) => {
                return self.on_notification(sessions, method, params);
            }
            Ok(ServerLine::Request { id, method, params }) => self.on_request(sessions, id, method, params),
            Ok(ServerLine::Answer { id, outcome }) => {
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
        match then {
            Then::Opened(opening) | Then::Reread(opening) => self.io.client.fail(&opening.key, error),
            Then::Listed(ListRequest { key, .. }) | Then::Deleted(key, _) | Then::Archived(key) => {
                self.io.client.fail(&key, error);
            }
            // Sessions notice by themselves.
            _ => {}
        }
    }

    fn on_server_exit(&mut self) {
        self.facts = ProcessFacts::default();
    }

    /// The process that sets up the home is done soon, so the next start finds it complete.
    fn starts(&self, ended: &Ended) -> u32 {
        if is_collision(&ended.stderr) { COLLISIONS } else { 1 }
    }

    /// Tries again to open sessions that could not be opened.
    fn tick(&mut self, _: &mut Sessions<Session>) {
        let now = self.io.now.elapsed;
        for held in self.held.extract_if(.., |held| held.at <= now) {
            self.server.jobs.push_back(Job::Open(Box::new(held.opening)));
        }
    }

    fn wake(&self) -> Option<Duration> {
        self.held.iter().map(|held| held.at).chain(self.server.deadline()).min()
    }
}

/// A thread of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Session,
    SubAgent,
}

impl Core {
    /// Returns whether a client waits for that session to be opened.
    fn is_opening(&self, id: &SessionId) -> bool {
        let waiting = self.server.jobs.iter().filter_map(|job| match job {
            Job::Open(opening) => Some(&**opening),
            _ => None,
        });
        let sent = self.server.awaited().filter_map(|then| match then {
            Then::Opened(opening) | Then::Reread(opening) => Some(&**opening),
            _ => None,
        });
        let held = self.held.iter().map(|held| &held.opening);
        waiting.chain(sent).chain(held).any(|opening| opening.how.continued() == Some(id))
    }

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
        let about: About = serde_json::from_str(params).unwrap_or_default();
        match (Event::read(method, params), about.thread_id) {
            (Event::ThreadStarted(thread), _) => {
                let parent = thread.parent_thread_id.as_deref();
                if let Some((session, _)) = parent.and_then(|parent| self.session_of(sessions, parent)) {
                    let key = session.conversation.id.0.clone();
                    self.server.offspring.insert(thread.id, key);
                }
            }
            (Event::Log(words), _) => tracing::debug!(method, words, "message of codex"),
            (Event::LoggedIn(login), _) if login["success"] != true => {
                tracing::warn!(error = %login["error"], "codex could not log in");
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
        let about: About = serde_json::from_str(params).unwrap_or_default();
        let asked = ServerRequest::read(method, params);
        let session = about.thread_id.as_deref().and_then(|thread| self.session_of(sessions, thread));
        match (asked, session) {
            (ServerRequest::Other, _) | (_, None) => {
                tracing::debug!(method, "a request of codex has no session that can answer it");
                self.write(line::refusal(id, "the client of this thread cannot answer this request"));
            }
            (asked, Some((session, _))) => session.on_request(self, id, asked),
        }
    }
}
