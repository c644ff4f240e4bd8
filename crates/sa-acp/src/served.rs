//! Agents whose CLI is one server process for all sessions. Work waits until the server is ready, and sessions continue in
//! the next process when it ends.
//!
//! ```text
//!  client ──► Job ──► Server: start if absent, wait until ready ──► Served::run
//!  server ──► Served::on_server_line ──► sessions
//!  server ends ──► Served::abandon for each open request, ServedSession::on_server_lost for each session
//! ```

pub(crate) mod server;

use crate::process::children::{ChildId, Ended};
use crate::process::wire::Wire;
use crate::protocol::errors::process_ended;
use crate::protocol::incoming::RequestKey;
use crate::protocol::lines::InputLine;
use crate::protocol::request::{ListRequest, OpenRequest};
use crate::session::Session;
use crate::session::adapter::{Adapter, Core, SessionsOf};
use agent_client_protocol_schema::v1::{Error, SessionId};
use serde_json::{Value, json};
use server::{Link, Server, ServerEnd};
use std::time::Duration;

/// Work that needs the server to be ready. `O` is a client's request to open a session.
#[derive(Debug)]
pub enum Job<O> {
    Open(Box<O>),
    /// Continues a session in a new process.
    Revive(SessionId),
    /// Looks for credentials.
    Authenticate(RequestKey),
    List(ListRequest),
    /// Deletes a session that is not open.
    Delete(RequestKey, SessionId),
}

/// A session in a server process.
pub trait ServedSession<C: Core>: Session<C> {
    fn link(&mut self) -> &mut Link;

    /// Ends the work that was under way in a process that ended. Questions are withdrawn already.
    fn on_server_lost(&mut self, core: &mut C, error: &Error);

    /// Answers the requests to close the session.
    fn closed(&mut self, core: &mut C);

    /// Returns whether prompts wait behind work that the server does not stop.
    fn is_stuck(&self) -> bool;

    /// Reports a long wait for MCP servers. In the end prompts are sent without the tools of those that are not there. Not meant
    /// to be overridden.
    fn enforce_mcp(&mut self, core: &mut C, limit: Duration) {
        let (id, now) = (self.conversation().id.clone(), core.io().now.elapsed);
        if self.link().mcp.enforce(&mut core.io().client, &id, now, limit) {
            self.send_next(core);
        }
    }

    /// Refuses prompts that wait for a process that did not start. The next prompt tries again. Not meant to be overridden.
    fn not_revived(&mut self, core: &mut C, error: &Error) {
        self.link().set_down();
        self.conversation().fail_queue(&mut core.io().client, error);
    }
}

/// An agent whose CLI is one server process for all sessions.
pub trait Served: Core<Session: ServedSession<Self>> {
    /// A client's request to open a session.
    type Opening: AsRef<RequestKey>;

    /// The continuation of a request to the server.
    type Then;

    fn server(&mut self) -> &mut Server<Self::Opening, Self::Then>;

    /// Returns the time that the process gets to exit by itself.
    fn drain(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the parameters of a new server process.
    fn launch(&mut self) -> Self::Launch;

    /// Begins the handshake with a process that was started.
    fn greet(&mut self);

    /// Returns whether a login in a terminal is only found by a new process, and nothing keeps the current one.
    fn restarts_for_login(&self, sessions: &SessionsOf<Self>) -> bool;

    /// Checks a request to open a session.
    fn check_opening(
        &self,
        sessions: &SessionsOf<Self>,
        request: OpenRequest,
    ) -> Result<Self::Opening, Error>;

    /// Does work that needs the server.
    fn run(&mut self, sessions: &mut SessionsOf<Self>, job: Job<Self::Opening>);

    /// Handles a line of the server. A line that is not known is returned as an error.
    fn on_server_line(&mut self, sessions: &mut SessionsOf<Self>, line: &[u8]) -> Result<(), Value>;

    /// Continues a request that was not answered in time, for this reason if it is known.
    fn on_late(&mut self, sessions: &mut SessionsOf<Self>, then: Self::Then, reason: Option<String>);

    /// Fails a request that was not answered before the process ended.
    fn abandon(&mut self, then: Self::Then, error: &Error);

    /// Drops all that was known of a process that ended.
    fn on_server_exit(&mut self);

    /// Returns how often a start is tried that failed for this reason; 1 if it would fail again.
    fn starts(&self, ended: &Ended) -> u32;

    /// Does what is due, apart from sessions and requests to the server.
    fn tick(&mut self, sessions: &mut SessionsOf<Self>);

    /// Returns the time since the start at which [`Served::tick`] has something to do, or an answer is late.
    fn wake(&self) -> Option<Duration>;

    /// Returns the connection to a process that does not use its standard streams.
    fn wire(&self, _launch: &Self::Launch) -> Option<Wire> {
        None
    }

    /// Handles an answer that concerns a session, if the session is still there. Not meant to be overridden.
    fn in_session(
        &mut self,
        sessions: &mut SessionsOf<Self>,
        id: &SessionId,
        handle: impl FnOnce(&mut Self::Session, &mut Self),
    ) {
        if let Some(session) = sessions.get_mut(&id.0) {
            handle(session, self);
        }
    }

    /// Ends the process. Work that needs it waits for the next one. Not meant to be overridden.
    fn dismiss(&mut self) {
        let drain = self.drain();
        if let Some(child) = self.server().dismiss() {
            self.io().processes.end(child, drain);
        }
    }

    /// Ends a process that is of no use, and refuses all work that waits. Not meant to be overridden.
    fn give_up(&mut self, sessions: &mut SessionsOf<Self>, error: &Error) {
        self.dismiss();
        self.fail_jobs(sessions, error);
    }

    /// Refuses all work that waits. Not meant to be overridden.
    fn fail_jobs(&mut self, sessions: &mut SessionsOf<Self>, error: &Error) {
        for job in self.server().take_jobs() {
            match job {
                Job::Open(opening) => self.io().client.fail((*opening).as_ref(), error),
                Job::Revive(id) => {
                    self.in_session(sessions, &id, |session, core| session.not_revived(core, error));
                }
                Job::Authenticate(key) | Job::List(ListRequest { key, .. }) | Job::Delete(key, _) => {
                    self.io().client.fail(&key, error);
                }
            }
        }
    }
}

impl<A: Served> Adapter for A {
    fn authenticate(&mut self, sessions: &mut SessionsOf<Self>, key: &RequestKey) {
        if self.restarts_for_login(sessions) {
            self.dismiss();
        }
        self.server().jobs.push_back(Job::Authenticate(key.clone()));
    }

    fn open(&mut self, sessions: &mut SessionsOf<Self>, request: OpenRequest) -> Result<(), Error> {
        let opening = self.check_opening(sessions, request)?;
        self.server().jobs.push_back(Job::Open(Box::new(opening)));
        Ok(())
    }

    fn list(&mut self, _: &mut SessionsOf<Self>, request: ListRequest) -> Result<(), Error> {
        self.server().jobs.push_back(Job::List(request));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.server().jobs.push_back(Job::Delete(key.clone(), id));
        Ok(())
    }

    fn on_line(&mut self, sessions: &mut SessionsOf<Self>, child: ChildId, line: &InputLine<'_>) -> bool {
        if self.server().child() != Some(child) {
            return true;
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
        true
    }

    fn on_exit(&mut self, sessions: &mut SessionsOf<Self>, child: ChildId, ended: &Ended) -> bool {
        if self.server().child() != Some(child) {
            return true;
        }
        let agent = self.io().client.profile().title;
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
            session.conversation().withdraw_all(&mut self.io().client);
            session.link().set_down();
            session.on_server_lost(self, &error);
            if !session.conversation().is_open() {
                session.closed(self);
            }
            session.send_next(self);
        }
        let starts = self.starts(ended);
        if end == ServerEnd::Failed && !self.server().may_start_again(starts) {
            // A new process would end in the same way.
            self.fail_jobs(sessions, &error);
        }
        true
    }

    /// Starts the server if there is work and no process. Runs the work once the process is ready.
    fn settle(&mut self, sessions: &mut SessionsOf<Self>) {
        if !self.server().jobs.is_empty() && self.server().child().is_none() {
            let launch = self.launch();
            let child = self.io().processes.start(launch);
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

    fn tick(&mut self, sessions: &mut SessionsOf<Self>) {
        let now = self.io().now.elapsed;
        for (then, reason) in self.server().expired(now) {
            self.on_late(sessions, then, reason);
        }
        Served::tick(self, sessions);
    }

    fn after_tick(&mut self, sessions: &mut SessionsOf<Self>) {
        if sessions.values().any(|session| session.is_stuck()) {
            tracing::warn!(
                agent = self.io().client.profile().title,
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
fn report_unknown<A: Served>(core: &mut A, sessions: &mut SessionsOf<A>, what: Value) {
    tracing::warn!(%what, "the server wrote a line that is not known");
    if sessions.is_empty() {
        return core.server().keep(what);
    }
    for session in sessions.values_mut() {
        session.conversation().report_unknown(&mut core.io().client, what.clone());
    }
}

fn report_kept<A: Served>(core: &mut A, sessions: &mut SessionsOf<A>) {
    if let Some(session) = sessions.values_mut().next() {
        for what in core.server().take_kept() {
            session.conversation().report_unknown(&mut core.io().client, what);
        }
    }
}
