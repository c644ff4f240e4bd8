//! What the state machine of every agent that drives processes works with: the talk with its client, and the processes.

use crate::process::children::{ChildId, Effect};
use crate::protocol::client::{Heard, Talk};
use crate::protocol::profile::Profile;
use agent_client_protocol_schema::v1::SessionId;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// Whom the answer of the client concerns.
#[derive(Debug)]
pub struct Caller {
    /// The session that it was asked for.
    pub session: SessionId,
    /// The question of the CLI, by its own id, that was passed on.
    pub ask: String,
}

/// See the module's comment. `L` says how a process is started.
#[derive(Debug)]
pub struct Desk<L> {
    talk: Talk<Caller>,
    effects: VecDeque<Effect<L>>,
    last_child: u64,
}

impl<L> Desk<L> {
    /// For an agent of that profile.
    pub fn new(profile: &'static Profile) -> Self {
        Self { talk: Talk::new(profile), effects: VecDeque::new(), last_child: 0 }
    }

    /// Takes back one question, or all of a session.
    pub fn withdraw(&mut self, session: &SessionId, ask: Option<&str>) {
        let of = |caller: &Caller| caller.session == *session && ask.is_none_or(|ask| caller.ask == ask);
        self.talk.withdraw_calls(of);
    }

    /// Starts a process.
    pub fn start(&mut self, launch: L) -> ChildId {
        self.last_child += 1;
        let child = ChildId(self.last_child);
        self.effects.push_back(Effect::Start { child, launch: Box::new(launch) });
        child
    }

    /// Writes a line, its end included, to a process.
    pub fn write_to(&mut self, child: ChildId, line: Vec<u8>) {
        self.effects.push_back(Effect::Write { child, line });
    }

    /// Ends a process, at once if nothing is to be waited for.
    pub fn end(&mut self, child: ChildId, farewell: Duration) {
        self.effects.push_back(Effect::End { child, farewell });
    }

    /// What is to be done next besides writing to the client.
    pub fn next_effect(&mut self) -> Option<Effect<L>> {
        self.effects.pop_front()
    }
}

/// Takes a line of the client. It is no generic method, so that adapters share its code.
pub(crate) fn hear(talk: &mut Talk<Caller>, line: &[u8]) -> Option<Heard<Caller>> {
    talk.hear(line)
}

impl<L> Deref for Desk<L> {
    type Target = Talk<Caller>;

    fn deref(&self) -> &Self::Target {
        &self.talk
    }
}

impl<L> DerefMut for Desk<L> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.talk
    }
}
