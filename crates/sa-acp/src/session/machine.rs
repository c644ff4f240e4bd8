//! An agent as a pure state machine.
//!
//! ```text
//!  driver, tests ──► Machine: set the time ──► Adapter, Session: handle ──► Adapter::settle
//!                      ▲                        │
//!                      └── lines, effects ◄── Io: client, processes
//! ```

use crate::process::children::{ChildId, Effect, Ended};
use crate::process::permission_socket::HelperId;
use crate::process::wire::Wire;
use crate::protocol::client::{Caller, Client, ClientMessage};
use crate::protocol::clock::Now;
use crate::protocol::errors::invalid;
use crate::protocol::incoming::{RequestKey, session_not_found};
use crate::protocol::lines::InputLine;
use crate::protocol::profile::Profile;
use crate::protocol::request::{ListRequest, OpenRequest, Request, SetRequest};
use crate::session::adapter::{Adapter, Core, SessionsOf};
use crate::session::conversation::CloseKind;
use crate::session::{Session, Sessions};
use agent_client_protocol_schema::v1::{Error, SessionId};
use std::fmt;
use std::time::Duration;

/// An agent and its sessions. After every event, [`Machine::take_output`] and [`Machine::next_effect`] return the results,
/// and [`Machine::wake`] the time at which [`Machine::tick`] is due.
pub struct Machine<A: Adapter> {
    core: A,
    sessions: SessionsOf<A>,
}

impl<A: Adapter> fmt::Debug for Machine<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("sessions", &self.sessions.keys()).finish_non_exhaustive()
    }
}

impl<A: Adapter> Machine<A> {
    /// Returns an agent without a client.
    pub fn new(core: impl Into<A>) -> Self {
        Self { core: core.into(), sessions: Sessions::new() }
    }

    /// Returns the agent's description of itself.
    pub fn profile(&mut self) -> &'static Profile {
        self.core.io().client.profile()
    }

    /// Handles a line of the client, without its end.
    pub fn line(&mut self, now: Now, line: &[u8]) {
        self.at(now, |core, sessions| {
            if let Some(message) = read(&mut core.io().client, line) {
                handle(core, sessions, message);
            }
        });
    }

    /// Handles a line of the client that was too long to be kept.
    pub fn overlong(&mut self, now: Now, length: u64) {
        self.at(now, |core, _| core.io().client.overlong(length));
    }

    /// Handles a line of a process, without its end.
    pub fn native(&mut self, now: Now, child: ChildId, line: &[u8]) {
        self.at(now, |core, sessions| on_line(core, sessions, child, InputLine::Whole(line)));
    }

    /// Handles a line of a process that was too long to be kept.
    pub fn native_overlong(&mut self, now: Now, child: ChildId, length: u64) {
        self.at(now, |core, sessions| on_line(core, sessions, child, InputLine::TooLong(length)));
    }

    /// Handles the end of a process, after all its lines.
    pub fn ended(&mut self, now: Now, child: ChildId, ended: &Ended) {
        self.at(now, |core, sessions| on_exit(core, sessions, child, ended));
    }

    /// Does what is due at this time.
    pub fn tick(&mut self, now: Now) {
        self.at(now, |core, sessions| {
            core.tick(sessions);
            for session in sessions.values_mut() {
                if session.wake().is_some_and(|wake| wake <= now.elapsed) {
                    session.tick(core);
                }
            }
            core.after_tick(sessions);
        });
    }

    /// Returns the time since the start at which something is due.
    pub fn wake(&self) -> Option<Duration> {
        self.sessions.values().filter_map(|session| session.wake()).chain(self.core.wake()).min()
    }

    /// Handles a request of a helper at the permission socket.
    pub fn on_helper_request(&mut self, now: Now, helper: HelperId, line: &[u8]) {
        self.at(now, |core, sessions| core.on_helper_request(sessions, helper, line));
    }

    /// Handles the end of a helper that was not answered.
    pub fn on_helper_gone(&mut self, now: Now, helper: HelperId) {
        self.at(now, |core, sessions| core.on_helper_gone(sessions, helper));
    }

    /// Takes the next reply to a helper, with its line end.
    pub fn next_helper_reply(&mut self) -> Option<(HelperId, Vec<u8>)> {
        self.core.next_helper_reply()
    }

    /// Appends the output for the client, whole lines in order, to `out`.
    pub fn take_output(&mut self, out: &mut Vec<u8>) {
        self.core.io().client.take_output(out);
    }

    /// Takes the next order about processes.
    pub fn next_effect(&mut self) -> Option<Effect<A::Launch>> {
        self.core.io().processes.next_effect()
    }

    /// Returns the connection to a process that does not use its standard streams.
    pub fn wire(&self, launch: &A::Launch) -> Option<Wire> {
        self.core.wire(launch)
    }

    /// Handles one event.
    fn at(&mut self, now: Now, handle: impl FnOnce(&mut A, &mut SessionsOf<A>)) {
        self.core.io().now = now;
        handle(&mut self.core, &mut self.sessions);
        self.core.settle(&mut self.sessions);
    }
}

/// Reads a line of the client. It is not generic, so that adapters share its code.
fn read(client: &mut Client, line: &[u8]) -> Option<ClientMessage<Caller>> {
    client.read(line)
}

fn handle<A: Adapter>(core: &mut A, sessions: &mut SessionsOf<A>, message: ClientMessage<Caller>) {
    match message {
        ClientMessage::Request(key, request) => {
            if let Err(error) = serve(core, sessions, &key, request) {
                core.io().client.fail(&key, &error);
            }
        }
        ClientMessage::Cancel(id) => {
            if let Some(session) = sessions.get_mut(&id.0) {
                session.cancel(core);
            }
        }
        ClientMessage::CancelRequest(id) => {
            core.io().client.request_cancelled(&id);
            let cancels = |session: &mut A::Session, core: &mut A| {
                let is_opening = session.opening().is_some_and(|key| key.id == id);
                if is_opening {
                    session.give_up_opening(core, &Error::request_cancelled());
                }
                is_opening || session.cancel_request(core, &id)
            };
            // Other requests are answered soon. They, and unknown ones, are left alone.
            if !sessions.values_mut().any(|session| cancels(session, core)) {
                core.io().client.was_cancelled(&id);
            }
        }
        ClientMessage::Reply { caller, reply, .. } => {
            let Some(session) = sessions.get_mut(&caller.session.0) else { return };
            if let Some(ask) = session.conversation().asks.remove(&caller.ask) {
                session.on_reply(core, &caller.ask, ask, reply);
            }
        }
    }
}

/// Passes a line of a process on to the agent, or to the session that owns the process.
fn on_line<A: Adapter>(core: &mut A, sessions: &mut SessionsOf<A>, child: ChildId, line: InputLine<'_>) {
    if core.on_line(sessions, child, &line) {
        return;
    }
    let Some(session) = sessions.values_mut().find(|session| session.process() == Some(child)) else {
        return;
    };
    match line {
        InputLine::Whole(line) => session.on_line(core, line),
        InputLine::TooLong(length) => session.conversation().report_overlong(&mut core.io().client, length),
    }
}

fn on_exit<A: Adapter>(core: &mut A, sessions: &mut SessionsOf<A>, child: ChildId, ended: &Ended) {
    if core.on_exit(sessions, child, ended) {
        return;
    }
    if let Some(session) = sessions.values_mut().find(|session| session.process() == Some(child)) {
        session.on_exit(core, ended);
        session.send_next(core);
    }
}

/// Answers a request, now or later. The caller sends the error.
fn serve<A: Adapter>(
    core: &mut A,
    sessions: &mut SessionsOf<A>,
    key: &RequestKey,
    request: Request,
) -> Result<(), Error> {
    match request {
        Request::Authenticate => core.authenticate(sessions, key),
        Request::Open(how, workspace) => {
            return core.open(sessions, OpenRequest { key: key.clone(), how, workspace });
        }
        Request::List(request) => {
            return core.list(sessions, ListRequest { key: key.clone(), page: *request });
        }
        Request::Close(id) => close(core, open_session::<A>(sessions, &id)?, key, CloseKind::Close),
        Request::Delete(id) => match sessions.get_mut(&id.0) {
            Some(session) => close(core, session, key, CloseKind::Delete),
            None => return core.delete(key, id),
        },
        Request::Set(id, setting) => {
            setting.choice()?;
            let session = open_session::<A>(sessions, &id)?;
            return session.set(core, SetRequest { key: key.clone(), setting });
        }
        Request::Prompt(request) => {
            let session = open_session::<A>(sessions, &request.session_id)?;
            session.conversation().enqueue(core.io().client.profile(), key, request.prompt)?;
            session.send_next(core);
        }
        Request::Logout => return Err(invalid("there is no login to end")),
    }
    Ok(())
}

/// Begins to close a session, or adds the request to those that wait for the end.
fn close<A: Core>(core: &mut A, session: &mut A::Session, key: &RequestKey, kind: CloseKind) {
    if session.conversation().begin_closing(key.clone(), kind) {
        session.cancel(core);
        session.close(core);
    }
}

/// Returns a session that takes prompts.
fn open_session<'a, A: Core>(
    sessions: &'a mut SessionsOf<A>,
    id: &SessionId,
) -> Result<&'a mut A::Session, Error> {
    let session = sessions.get_mut(&id.0).ok_or_else(|| session_not_found(id))?;
    if session.conversation().is_open() { Ok(session) } else { Err(session_not_found(id)) }
}

#[cfg(test)]
pub(crate) mod tests;
