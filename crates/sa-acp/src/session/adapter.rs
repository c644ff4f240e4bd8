//! An agent that drives a vendor's CLI, in the two ways in which it is seen: what the author of one writes, and what its
//! driver and its tests see of it.
//!
//! ```text
//!  driver, tests ──► Driven: set the time ──► Adapter: act ──► Adapter::settle
//!                      ▲                        │
//!                      └── lines, effects ◄── Core: client, processes
//! ```

use crate::process::children::{ChildId, Effect, Ended};
use crate::process::permission_socket::VisitorId;
use crate::process::wire::Wire;
use crate::protocol::client::{Caller, Client, Heard};
use crate::protocol::clock::Now;
use crate::protocol::errors::invalid;
use crate::protocol::incoming::{RequestKey, session_not_found};
use crate::protocol::request::{OpenRequest, Request};
use crate::session::core::Core;
use crate::session::{Session, Sessions};
use agent_client_protocol_schema::v1::{AuthenticateResponse, Error, ListSessionsRequest, SessionId};
use std::path::Path;
use std::time::Duration;

/// An agent that drives processes, as its author writes it: what its client wants of it as a whole, and what its processes
/// say. All that concerns one session goes to that [`Session`].
pub trait Adapter {
    /// What the agent works with.
    type Core: Core;

    /// A session of it.
    type Session: Session<Core = Self::Core>;

    /// Returns what it works with, and its sessions.
    fn parts(&mut self) -> (&mut Self::Core, &mut Sessions<Self::Session>);

    /// Returns its sessions.
    fn sessions(&self) -> &Sessions<Self::Session>;

    /// Whether there is a directory at that path.
    fn is_directory(&self, path: &Path) -> bool;

    /// The client says that there are credentials now. By itself there is nothing to be done: the CLI looks for them whenever
    /// it is started.
    fn authenticate(&mut self, key: &RequestKey) {
        self.parts().0.client().reply(key, AuthenticateResponse::new());
    }

    /// Opens a session, now or later, in a place that is there; an error is for the caller to send.
    fn open(&mut self, request: OpenRequest) -> Result<(), Error>;

    /// Lists sessions, now or later; an error is for the caller to send.
    fn list(&mut self, key: &RequestKey, request: ListSessionsRequest) -> Result<(), Error>;

    /// Deletes a session that is not open, now or later; an error is for the caller to send.
    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error>;

    /// Takes a line of a process, without its end.
    fn native(&mut self, child: ChildId, line: &[u8]);

    /// Takes note of a line of a process that was too long to be kept.
    fn native_overlong(&mut self, child: ChildId, length: u64);

    /// Takes note that a process ended, after all that it wrote.
    fn ended(&mut self, child: ChildId, ended: &Ended);

    /// Does what has become possible by what was put in, and forgets sessions of which nothing is left.
    fn settle(&mut self) {
        self.parts().1.retain(|_, session| !session.conversation().is_closed());
    }

    /// Does what is due.
    fn tick(&mut self) {
        self.tick_sessions();
    }

    /// Has sessions do what is due. Not meant to be written anew.
    fn tick_sessions(&mut self) {
        let (core, sessions) = self.parts();
        let now = core.parts().0.elapsed;
        for session in sessions.values_mut() {
            if session.wake().is_some_and(|wake| wake <= now) {
                session.tick(core);
            }
        }
    }

    /// The time, since the start, at which something is due.
    fn wake(&self) -> Option<Duration> {
        self.sessions().values().filter_map(Session::wake).min()
    }

    /// How a process is talked to that is started like this, if not over its standard streams.
    fn wire(&self, launch: &Launch<Self>) -> Option<Wire> {
        let _ = launch;
        None
    }

    /// Takes the question of a visitor at the permission socket. Agents without one have no visitors.
    fn visited(&mut self, visitor: VisitorId, line: &[u8]) {
        let _ = (visitor, line);
    }

    /// Takes note that a visitor left before it was answered.
    fn left(&mut self, visitor: VisitorId) {
        let _ = visitor;
    }

    /// The next answer to a visitor, its line end included.
    fn next_answer(&mut self) -> Option<(VisitorId, Vec<u8>)> {
        None
    }
}

/// How a process of an adapter is started.
type Launch<A> = <<A as Adapter>::Core as Core>::Launch;

/// The same as a pure state machine. After anything was put in, [`Driven::take_output`] and [`Driven::next_effect`] have
/// what comes of it, and [`Driven::wake`] the time at which [`Driven::tick`] is due.
pub trait Driven {
    /// How a process is started.
    type Launch;

    /// Takes a line of the client, without its end.
    fn line(&mut self, now: Now, line: &[u8]);

    /// Takes note of a line of the client that was too long to be kept.
    fn overlong(&mut self, now: Now, length: u64);

    /// Takes a line of a process, without its end.
    fn native(&mut self, now: Now, child: ChildId, line: &[u8]);

    /// Takes note of a line of a process that was too long to be kept.
    fn native_overlong(&mut self, now: Now, child: ChildId, length: u64);

    /// Takes note that a process ended, after all that it wrote.
    fn ended(&mut self, now: Now, child: ChildId, ended: &Ended);

    /// Does what is due at this time.
    fn tick(&mut self, now: Now);

    /// The time, since the start, at which something is due.
    fn wake(&self) -> Option<Duration>;

    /// Takes the question of a visitor at the permission socket.
    fn visited(&mut self, now: Now, visitor: VisitorId, line: &[u8]);

    /// Takes note that a visitor left before it was answered.
    fn left(&mut self, now: Now, visitor: VisitorId);

    /// The next answer to a visitor, its line end included.
    fn next_answer(&mut self) -> Option<(VisitorId, Vec<u8>)>;

    /// Appends what is to be written to the client, whole lines in order, to `out`.
    fn take_output(&mut self, out: &mut Vec<u8>);

    /// What is to be done next besides writing to the client.
    fn next_effect(&mut self) -> Option<Effect<Self::Launch>>;

    /// How a process is talked to that is started like this, if not over its standard streams.
    fn wire(&self, launch: &Self::Launch) -> Option<Wire>;
}

impl<A: Adapter> Driven for A {
    type Launch = Launch<A>;

    fn line(&mut self, now: Now, line: &[u8]) {
        at(self, now, |adapter| {
            let heard = hear(adapter.parts().0.client(), line);
            if let Some(heard) = heard {
                act(adapter, heard);
            }
        });
    }

    fn overlong(&mut self, now: Now, length: u64) {
        at(self, now, |adapter| adapter.parts().0.client().overlong(length));
    }

    fn native(&mut self, now: Now, child: ChildId, line: &[u8]) {
        at(self, now, |adapter| Adapter::native(adapter, child, line));
    }

    fn native_overlong(&mut self, now: Now, child: ChildId, length: u64) {
        at(self, now, |adapter| Adapter::native_overlong(adapter, child, length));
    }

    fn ended(&mut self, now: Now, child: ChildId, ended: &Ended) {
        at(self, now, |adapter| Adapter::ended(adapter, child, ended));
    }

    fn tick(&mut self, now: Now) {
        at(self, now, Adapter::tick);
    }

    fn wake(&self) -> Option<Duration> {
        Adapter::wake(self)
    }

    fn visited(&mut self, now: Now, visitor: VisitorId, line: &[u8]) {
        at(self, now, |adapter| Adapter::visited(adapter, visitor, line));
    }

    fn left(&mut self, now: Now, visitor: VisitorId) {
        at(self, now, |adapter| Adapter::left(adapter, visitor));
    }

    fn next_answer(&mut self) -> Option<(VisitorId, Vec<u8>)> {
        Adapter::next_answer(self)
    }

    fn take_output(&mut self, out: &mut Vec<u8>) {
        self.parts().0.client().take_output(out);
    }

    fn next_effect(&mut self) -> Option<Effect<Launch<A>>> {
        self.parts().0.parts().2.next_effect()
    }

    fn wire(&self, launch: &Launch<A>) -> Option<Wire> {
        Adapter::wire(self, launch)
    }
}

/// Everything that is put in goes this way.
fn at<A: Adapter>(adapter: &mut A, now: Now, act: impl FnOnce(&mut A)) {
    *adapter.parts().0.parts().0 = now;
    act(adapter);
    adapter.settle();
}

/// Takes a line of the client. It is not generic, so that adapters share its code.
fn hear(client: &mut Client, line: &[u8]) -> Option<Heard<Caller>> {
    client.hear(line)
}

fn act<A: Adapter>(adapter: &mut A, heard: Heard<Caller>) {
    let (core, sessions) = adapter.parts();
    match heard {
        Heard::Request(key, request) => {
            if let Err(error) = serve(adapter, &key, request) {
                adapter.parts().0.client().fail(&key, &error);
            }
        }
        Heard::Cancel(id) => {
            if let Some(session) = sessions.get_mut(&id.0) {
                session.cancel(core);
            }
        }
        Heard::CancelRequest(id) => {
            core.client().request_cancelled(&id);
            let cancels = |session: &mut A::Session, core: &mut A::Core| {
                let is_opening = session.opening().is_some_and(|key| key.id == id);
                if is_opening {
                    session.give_up_opening(core, &Error::request_cancelled());
                }
                is_opening || session.cancel_request(core, &id)
            };
            // Other requests are answered soon. They, and unknown ones, are left alone.
            if !sessions.values_mut().any(|session| cancels(session, core)) {
                core.client().was_cancelled(&id);
            }
        }
        Heard::Answer { caller, reply, .. } => {
            let Some(session) = sessions.get_mut(&caller.session.0) else { return };
            if let Some(ask) = session.conversation_mut().asks.remove(&caller.ask) {
                session.on_reply(core, &caller.ask, ask, reply);
            }
        }
    }
}

/// Answers a request, now or later; an error is for the caller to send.
fn serve<A: Adapter>(adapter: &mut A, key: &RequestKey, request: Request) -> Result<(), Error> {
    match request {
        Request::Authenticate => adapter.authenticate(key),
        Request::Open(how, workspace) => {
            workspace.check(|path| adapter.is_directory(path))?;
            return adapter.open(OpenRequest { key: key.clone(), how, workspace });
        }
        Request::List(request) => return adapter.list(key, *request),
        Request::Close(id) => {
            let (core, session) = open_session(adapter, &id)?;
            close(core, session, key, false);
        }
        Request::Delete(id) => {
            let (core, sessions) = adapter.parts();
            match sessions.get_mut(&id.0) {
                Some(session) => close(core, session, key, true),
                None => return adapter.delete(key, id),
            }
        }
        Request::Set(id, setting) => {
            let value = setting.choice()?;
            let (core, session) = open_session(adapter, &id)?;
            return session.set(core, key, setting.form, &setting.option, value);
        }
        Request::Prompt(request) => {
            let (core, session) = open_session(adapter, &request.session_id)?;
            let agent = core.client().profile().title;
            session.conversation_mut().enqueue(agent, key, request.prompt, A::Session::content)?;
            session.start_next(core);
        }
        Request::Logout => return Err(invalid("there is no login to end")),
    }
    Ok(())
}

/// Begins to close a session, or waits with those who want that already.
fn close<S: Session>(core: &mut S::Core, session: &mut S, key: &RequestKey, delete: bool) {
    if session.conversation_mut().begin_closing(key.clone(), delete) {
        session.close(core);
    }
}

/// Returns a session that takes prompts.
fn open_session<'a, A: Adapter>(
    adapter: &'a mut A,
    id: &SessionId,
) -> Result<(&'a mut A::Core, &'a mut A::Session), Error> {
    let (core, sessions) = adapter.parts();
    let session = sessions.get_mut(&id.0).filter(|session| session.conversation().is_open());
    session.map(|session| (core, session)).ok_or_else(|| session_not_found(id))
}

#[cfg(test)]
mod tests;
