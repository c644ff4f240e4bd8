//! Agents whose CLI is one server process for all sessions. Work waits until the server is ready, and sessions continue in
//! the next process when it ends.
//!
//! ```text
//!  client ──► Job ──► Server: start if absent, wait until ready ──► Served::run
//!  server ──► Served::on_server_line ──► sessions
//!  server ends ──► Served::abandon for each open request, ServedSession::server_lost for each session
//! ```

pub(crate) mod server;

use crate::process::children::{ChildId, Ended};
use crate::process::wire::Wire;
use crate::protocol::errors::process_ended;
use crate::protocol::incoming::RequestKey;
use crate::protocol::lines::InputLine;
use crate::protocol::request::OpenRequest;
use crate::session::adapter::{Adapter, Core};
use crate::session::{Session, Sessions};
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use serde_json::{Value, json};
use server::{Server, ServerEnd};
use std::time::Duration;

/// Work that needs the server to be ready. `O` is a client's request to open a session.
#[derive(Debug)]
pub enum Job<O> {
    /// Opens a session for a client.
    Open(Box<O>),
    /// Continues a session in a new process.
    Revive(SessionId),
    /// Looks for credentials.
    Authenticate(RequestKey),
    /// Lists sessions.
    List(RequestKey, Box<ListSessionsRequest>),
    /// Deletes a session that is not open.
    Delete(RequestKey, SessionId),
}

/// A session in a server process.
pub trait ServedSession: Session {
    /// Ends the work that was under way in a process that ended.
    fn server_lost(&mut self, core: &mut Self::Core, error: &Error);

    /// Refuses prompts that wait for a process that did not start. The next prompt tries again.
    fn not_revived(&mut self, core: &mut Self::Core, error: &Error);

    /// Returns whether prompts wait behind work that the server does not stop.
    fn is_stuck(&self) -> bool;
}

/// An agent whose CLI is one server process for all sessions.
pub trait Served: Core + Sized {
    /// A session of the agent.
    type Session: ServedSession<Core = Self>;

    /// A client's request to open a session.
    type Opening: AsRef<RequestKey>;

    /// The continuation of a request to the server.
    type Then;

    /// Returns the server.
    fn server(&mut self) -> &mut Server<Self::Opening, Self::Then>;

    /// Returns the parameters of a new server process.
    fn launch(&mut self) -> Self::Launch;

    /// Begins the handshake with a process that was started.
    fn greet(&mut self);

    /// Returns whether a login in a terminal is only found by a new process, and nothing keeps the current one.
    fn restarts_for_login(&self, sessions: &Sessions<Self::Session>) -> bool;

    /// Checks a request to open a session.
    fn opening(
        &self,
        sessions: &mut Sessions<Self::Session>,
        request: OpenRequest,
    ) -> Result<Self::Opening, Error>;

    /// Does work that needs the server.
    fn run(&mut self, sessions: &mut Sessions<Self::Session>, job: Job<Self::Opening>);

    /// Handles a line of the server. A line that is not known is returned as an error.
    fn on_server_line(&mut self, sessions: &mut Sessions<Self::Session>, line: &[u8]) -> Result<(), Value>;

    /// Continues a request that was not answered in time, for this reason if it is known.
    fn on_late(&mut self, sessions: &mut Sessions<Self::Session>, then: Self::Then, reason: Option<String>);

    /// Fails a request that was not answered before the process ended.
    fn abandon(&mut self, then: Self::Then, error: &Error);

    /// Drops all that was known of a process that ended.
    fn on_server_exit(&mut self);

    /// Returns how often a start is tried that failed for this reason; 1 if it would fail again.
    fn starts(&self, ended: &Ended) -> u32;

    /// Returns the time that the process gets to exit by itself.
    fn drain(&self) -> Duration;

    /// Does what is due, apart from sessions and requests to the server.
    fn tick(&mut self, sessions: &mut Sessions<Self::Session>);

    /// Returns the time since the start at which [`Served::tick`] has something to do, or an answer is late.
    fn wake(&self) -> Option<Duration>;

    /// Returns the connection to a process that does not use its standard streams.
    fn wire(&self, launch: &Self::Launch) -> Option<Wire> {
        let _ = launch;
        None
    }

    /// Ends the process. Work that needs it waits for the next one. Not meant to be overridden.
    fn dismiss(&mut self) {
        let drain = self.drain();
        if let Some(child) = self.server().dismiss() {
            self.parts().2.end(child, drain);
        }
    }

    /// Ends a process that is of no use, and refuses all work that waits. Not meant to be overridden.
    fn give_up(&mut self, sessions: &mut Sessions<Self::Session>, error: &Error) {
        self.dismiss();
        self.fail_jobs(sessions, error);
    }

    /// Refuses all work that waits. Not meant to be overridden.
    fn fail_jobs(&mut self, sessions: &mut Sessions<Self::Session>, error: &Error) {
        for job in self.server().take_jobs() {
            match job {
                Job::Open(opening) => self.client().fail((*opening).as_ref(), error),
                Job::Revive(id) => {
                    if let Some(session) = sessions.get_mut(&id.0) {
                        session.not_revived(self, error);
                    }
                }
                Job::Authenticate(key) | Job::List(key, _) | Job::Delete(key, _) => {
                    self.client().fail(&key, error);
                }
            }
        }
    }
}

impl<A: Served> Adapter for A {
    type Session = A::Session;

    fn authenticate(&mut self, sessions: &mut Sessions<Self::Session>, key: &RequestKey) {
        if self.restarts_for_login(sessions) {
            self.dismiss();
        }
        self.server().jobs.push_back(Job::Authenticate(key.clone()));
    }

    fn open(&mut self, sessions: &mut Sessions<Self::Session>, request: OpenRequest) -> Result<(), Error> {
        let opening = self.opening(sessions, request)?;
        self.server().jobs.push_back(Job::Open(Box::new(opening)));
        Ok(())
    }

    fn list(
        &mut self,
        _: &mut Sessions<Self::Session>,
        key: &RequestKey,
        request: ListSessionsRequest,
    ) -> Result<(), Error> {
        self.server().jobs.push_back(Job::List(key.clone(), Box::new(request)));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.server().jobs.push_back(Job::Delete(key.clone(), id));
        Ok(())
    }

    fn on_line(&mut self, sessions: &mut Sessions<Self::Session>, child: ChildId, line: InputLine<'_>) {
        if self.server().child() != Some(child) {
            return;
        }
        let unknown = match line {
            InputLine::Whole(line) => self.on_server_line(sessions, line),
            InputLine::TooLong(length) => {
                Err(json!({ "reason": format!("a line of {length} bytes is too long") }))
            }
        };
        if let Err(what) = unknown {
            report_unknown(self, sessions, what);
        }
    }

    fn on_exit(&mut self, sessions: &mut Sessions<Self::Session>, child: ChildId, ended: &Ended) {
        if self.server().child() != Some(child) {
            return;
        }
        let agent = self.client().profile().title;
        let error = process_ended(agent, ended, None);
        let (end, unanswered) = self.server().on_ended();
        if end != ServerEnd::Expected {
            tracing::warn!(agent, code = ended.code, signal = ended.signal, "the server exited by itself");
        }
        self.on_server_exit();
        for then in unanswered {
            self.abandon(then, &error);
        }
        for session in sessions.values_mut() {
            session.server_lost(self, &error);
        }
        if end != ServerEnd::Failed {
            return;
        }
        let starts = self.starts(ended);
        if !self.server().may_start_again(starts) {
            // A new process would end in the same way.
            self.fail_jobs(sessions, &error);
        }
    }

    /// Starts the server if there is work and no process. Runs the work once the process is ready.
    fn settle(&mut self, sessions: &mut Sessions<Self::Session>) {
        if !self.server().jobs.is_empty() && self.server().child().is_none() {
            let launch = self.launch();
            let child = self.parts().2.start(launch);
            self.server().started(child);
            self.greet();
        }
        while self.server().is_ready()
            && let Some(job) = self.server().jobs.pop_front()
        {
            self.run(sessions, job);
        }
        report_kept(self, sessions);
        sessions.retain(|_, session| !session.conversation().is_closed());
        self.server().offspring.retain(|_, session| sessions.contains_key(session));
    }

    fn tick(&mut self, sessions: &mut Sessions<Self::Session>) {
        let now = self.parts().0.elapsed;
        for (then, reason) in self.server().expired(now) {
            self.on_late(sessions, then, reason);
        }
        Served::tick(self, sessions);
    }

    fn after_tick(&mut self, sessions: &mut Sessions<Self::Session>) {
        if sessions.values().any(ServedSession::is_stuck) {
            tracing::warn!(
                agent = self.client().profile().title,
                "the server does not stop a turn and is ended"
            );
            self.dismiss();
        }
    }

    fn wake(&self) -> Option<Duration> {
        Served::wake(self)
    }

    fn wire(&self, launch: &Self::Launch) -> Option<Wire> {
        Served::wire(self, launch)
    }
}

/// Reports a line that is not known and belongs to no session: to all sessions, or later to the first one.
fn report_unknown<A: Served>(core: &mut A, sessions: &mut Sessions<A::Session>, what: Value) {
    tracing::warn!(%what, "the server wrote a line that is not known");
    if sessions.is_empty() {
        return core.server().keep(what);
    }
    for session in sessions.values_mut() {
        session.conversation().report_unknown(core.client(), what.clone());
    }
}

fn report_kept<A: Served>(core: &mut A, sessions: &mut Sessions<A::Session>) {
    if let Some(session) = sessions.values_mut().next() {
        for what in core.server().take_kept() {
            session.conversation().report_unknown(core.client(), what);
        }
    }
}
