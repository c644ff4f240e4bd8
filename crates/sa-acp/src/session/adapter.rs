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
use crate::protocol::request::OpenRequest;
use crate::session::{Session, Sessions};
use agent_client_protocol_schema::v1::{AuthenticateResponse, Error, ListSessionsRequest, SessionId};
use std::time::Duration;

/// The state of an agent apart from its sessions. Every agent has these fields next to its own.
pub trait Core {
    /// The parameters of a process.
    type Launch;

    /// Returns the time of the current event, the client, and the processes.
    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Self::Launch>);

    /// Returns the client.
    fn client(&mut self) -> &mut Client {
        self.parts().1
    }
}

/// Returns the fields that [`Core::parts`] has to return, for an agent that was just started.
pub fn new_parts<L>(profile: &'static Profile) -> (Now, Client, Processes<L>) {
    (Now::default(), Client::new(profile), Processes::default())
}

/// An agent that drives the processes of a vendor's CLI. By default each session has its own process, and the lines of a
/// process go to the session that owns it.
pub trait Adapter: Core + Sized {
    /// A session of the agent.
    type Session: Session<Core = Self>;

    /// Handles the client's claim that there are credentials now. Most CLIs look for them on every start.
    fn authenticate(&mut self, sessions: &mut Sessions<Self::Session>, key: &RequestKey) {
        let _ = sessions;
        self.client().reply(key, AuthenticateResponse::new());
    }

    /// Opens a session, now or later. The caller sends the error.
    fn open(&mut self, sessions: &mut Sessions<Self::Session>, request: OpenRequest) -> Result<(), Error>;

    /// Lists sessions, now or later. The caller sends the error.
    fn list(
        &mut self,
        sessions: &mut Sessions<Self::Session>,
        key: &RequestKey,
        request: ListSessionsRequest,
    ) -> Result<(), Error>;

    /// Deletes a session that is not open, now or later. The caller sends the error.
    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error>;

    /// Handles a line of a process.
    fn on_line(&mut self, sessions: &mut Sessions<Self::Session>, child: ChildId, line: InputLine<'_>) {
        if let Some(session) = sessions.values_mut().find(|session| session.owns(child)) {
            session.on_line(self, line);
        }
    }

    /// Handles the end of a process, after all its lines.
    fn on_exit(&mut self, sessions: &mut Sessions<Self::Session>, child: ChildId, ended: &Ended) {
        if let Some(session) = sessions.values_mut().find(|session| session.owns(child)) {
            session.on_exit(self, ended);
        }
    }

    /// Continues after an event with what it made possible, and removes closed sessions.
    fn settle(&mut self, sessions: &mut Sessions<Self::Session>) {
        sessions.retain(|_, session| !session.conversation().is_closed());
    }

    /// Does what is due, apart from sessions.
    fn tick(&mut self, sessions: &mut Sessions<Self::Session>) {
        let _ = sessions;
    }

    /// Does what is due once the sessions did.
    fn after_tick(&mut self, sessions: &mut Sessions<Self::Session>) {
        let _ = sessions;
    }

    /// Returns the time since the start at which [`Adapter::tick`] has something to do.
    fn wake(&self) -> Option<Duration> {
        None
    }

    /// Returns the connection to a process that does not use its standard streams.
    fn wire(&self, launch: &Self::Launch) -> Option<Wire> {
        let _ = launch;
        None
    }

    /// Handles a request of a helper at the permission socket. Agents without one have no helpers.
    fn on_helper_request(&mut self, sessions: &mut Sessions<Self::Session>, helper: HelperId, line: &[u8]) {
        let _ = (sessions, helper, line);
    }

    /// Handles the end of a helper that was not answered.
    fn on_helper_gone(&mut self, sessions: &mut Sessions<Self::Session>, helper: HelperId) {
        let _ = (sessions, helper);
    }

    /// Takes the next reply to a helper, with its line end.
    fn next_helper_reply(&mut self) -> Option<(HelperId, Vec<u8>)> {
        None
    }
}
