//! The traits that the author of an agent writes: the agent as a whole. All that concerns one session goes to that
//! [`Session`].

use crate::process::children::{ChildId, Ended};
use crate::process::permission_socket::HelperId;
use crate::process::processes::Processes;
use crate::process::wire::Wire;
use crate::protocol::client::Client;
use crate::protocol::clock::Now;
use crate::protocol::incoming::RequestKey;
use crate::protocol::lines::InputLine;
use crate::protocol::profile::Profile;
use crate::protocol::request::{ListRequest, OpenRequest};
use crate::session::{Session, Sessions};
use agent_client_protocol_schema::v1::{AuthenticateResponse, Error, SessionId};
use std::time::Duration;

/// The inputs and outputs of an agent. `L` are the parameters of a process.
#[derive(Debug)]
pub struct Io<L> {
    /// The time of the current event.
    pub now: Now,
    pub client: Client,
    pub processes: Processes<L>,
}

impl<L> Io<L> {
    /// Returns those of an agent that was just started.
    pub fn new(profile: &'static Profile) -> Self {
        Self { now: Now::default(), client: Client::new(profile), processes: Processes::default() }
    }
}

/// The state of an agent apart from its sessions.
pub trait Core: Sized {
    type Launch;

    type Session: Session<Self>;

    fn io(&mut self) -> &mut Io<Self::Launch>;
}

/// The sessions of an agent, by id.
pub type SessionsOf<A> = Sessions<<A as Core>::Session>;

/// An agent that drives the processes of a vendor's CLI. By default each session has its own process, and the lines of a
/// process go to the session that owns it.
pub trait Adapter: Core {
    /// Handles the client's claim that there are credentials now. Most CLIs look for them on every start.
    fn authenticate(&mut self, _sessions: &mut SessionsOf<Self>, key: &RequestKey) {
        self.io().client.reply(key, AuthenticateResponse::new());
    }

    /// Opens a session, now or later. The caller sends the error.
    fn open(&mut self, sessions: &mut SessionsOf<Self>, request: OpenRequest) -> Result<(), Error>;

    /// Lists sessions, now or later. The caller sends the error.
    fn list(&mut self, sessions: &mut SessionsOf<Self>, request: ListRequest) -> Result<(), Error>;

    /// Deletes a session that is not open, now or later. The caller sends the error.
    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error>;

    /// Handles a line of a process that belongs to no session. Returns `false` if the process belongs to one.
    fn on_line(&mut self, _sessions: &mut SessionsOf<Self>, _child: ChildId, _line: &InputLine<'_>) -> bool {
        false
    }

    /// Handles the end of a process that belongs to no session, after all its lines. Returns `false` if it belongs to one.
    fn on_exit(&mut self, _sessions: &mut SessionsOf<Self>, _child: ChildId, _ended: &Ended) -> bool {
        false
    }

    /// Continues after an event with what it made possible, and removes closed sessions.
    fn settle(&mut self, sessions: &mut SessionsOf<Self>) {
        sessions.retain(|_, session| !session.conversation().is_closed());
    }

    /// Does what is due, apart from sessions.
    fn tick(&mut self, _sessions: &mut SessionsOf<Self>) {}

    /// Does what is due once the sessions did.
    fn after_tick(&mut self, _sessions: &mut SessionsOf<Self>) {}

    /// Returns the time since the start at which [`Adapter::tick`] has something to do.
    fn wake(&self) -> Option<Duration> {
        None
    }

    /// Returns the connection to a process that does not use its standard streams.
    fn wire(&self, _launch: &Self::Launch) -> Option<Wire> {
        None
    }

    /// Handles a request of a helper at the permission socket. Agents without one have no helpers.
    fn on_helper_request(&mut self, _sessions: &mut SessionsOf<Self>, _helper: HelperId, _line: &[u8]) {}

    /// Handles the end of a helper that was not answered.
    fn on_helper_gone(&mut self, _sessions: &mut SessionsOf<Self>, _helper: HelperId) {}

    /// Takes the next reply to a helper, with its line end.
    fn next_helper_reply(&mut self) -> Option<(HelperId, Vec<u8>)> {
        None
    }
}
