//! The whole agent without its streams: messages and the time go in, messages and effects come out.

use super::core::{Core, Effect, Host};
use super::faults::write_filler;
use super::sessions::Sessions;
use super::turn;
use sa_acp::{ClientMessage, Now};
use std::time::Duration;

/// The next need of the machine.
#[derive(Debug)]
pub enum Step {
    /// Output was written; poll again.
    Wrote,
    /// Do this, then ask again.
    Effect(Effect),
    /// Nothing to do until a message comes, or this time (since the start).
    Idle(Option<Duration>),
}

/// The demo agent as a pure state machine.
///
/// It works only when polled and does little each time, so the driver decides how much is made ahead of what the
/// client has read.
#[derive(Debug)]
pub struct Machine {
    pub(super) core: Core,
    pub(super) sessions: Sessions,
}

impl Machine {
    /// An agent that nobody has talked to yet.
    pub fn new(host: Host) -> Self {
        Self { core: Core::new(host), sessions: Sessions::default() }
    }

    /// Takes a line of the client, without its end.
    pub fn line(&mut self, now: Now, line: &[u8]) {
        self.core.now = now;
        match self.core.client.read(line) {
            Some(ClientMessage::Request(key, request)) => {
                if let Err(error) = self.serve(&key, request) {
                    self.core.client.fail(&key, &error);
                }
            }
            Some(ClientMessage::Cancel(id)) => {
                if let Some(session) = self.sessions.get(&id) {
                    session.cancel(&mut self.core);
                }
            }
            // Only prompts take time; every other request was answered before its cancellation could come.
            Some(ClientMessage::CancelRequest(id)) => {
                self.core.client.request_cancelled(&id);
                if !self.sessions.iter_mut().any(|session| session.cancel_request(&mut self.core, &id)) {
                    self.core.client.was_cancelled(&id);
                }
            }
            Some(ClientMessage::Reply { id, caller, reply }) => {
                if let Some(session) = self.sessions.get(&caller.session) {
                    turn::answered(session, &self.core, id, caller.then, reply);
                }
            }
            None => {}
        }
    }

    /// Takes note of a line that was too long to be kept.
    pub fn overlong(&mut self, now: Now, length: u64) {
        self.core.now = now;
        self.core.client.overlong(length);
    }

    /// Takes note that the client will say nothing more: what is known of turns under way is stored.
    pub fn input_ended(&mut self, now: Now) {
        self.core.now = now;
        for session in self.sessions.iter_mut().filter(|session| session.turn.is_some()) {
            self.core.save(session);
        }
    }

    /// Bytes that wait to be taken by [`Machine::poll`]. Nothing should be read while they are many, as each request adds to
    /// them.
    pub fn backlog(&self) -> usize {
        self.core.client.outbox.len()
    }

    /// Does a little, and appends what is to be written to the client, whole lines in order, to `out`.
    pub fn poll(&mut self, now: Now, out: &mut Vec<u8>) -> Step {
        self.core.now = now;
        loop {
            // Sessions are stored before the client learns what they hold.
            if let Some(effect) = self.core.effects.pop_front() {
                return Step::Effect(effect);
            }
            if let Some(until) = self.core.silent_until.filter(|until| *until > now.elapsed) {
                return Step::Idle(Some(until));
            }
            self.core.silent_until = None;
            if write_filler(&mut self.core.filler, out) {
                return Step::Wrote;
            }
            if !self.core.client.outbox.is_empty() {
                self.core.client.take_output(out);
                return Step::Wrote;
            }
            let wake = self.sessions.advance(&mut self.core);
            if self.core.is_quiet() {
                return Step::Idle(wake);
            }
        }
    }
}
