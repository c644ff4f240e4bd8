//! The calls that wait for an agent, and their answers on the way out.

use crate::command::Reply;
use crate::seats::Seats;
use crate::{CallError, Response};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// Calls by ticket, in the order in which they came.
#[derive(Default)]
pub(super) struct Calls {
    waiting: BTreeMap<u64, Call>,
    ready: Vec<(Reply<Response>, Result<Response, CallError>)>,
    next_ticket: u64,
}

struct Call {
    reply: Reply<Response>,
    since: Instant,
}

impl Calls {
    /// A ticket that no other call has.
    pub(super) fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    /// The call of this ticket waits from now on.
    pub(super) fn wait(&mut self, ticket: u64, reply: Reply<Response>) {
        self.waiting.insert(ticket, Call { reply, since: Instant::now() });
    }

    /// Whether somebody still wants the answer.
    pub(super) fn is_attached(&self, ticket: u64) -> bool {
        self.waiting.get(&ticket).is_some_and(|call| !call.reply.is_closed())
    }

    /// Since when the first of them waits.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.waiting.first_key_value().map(|(_, call)| call.since)
    }

    /// Puts an answer on its way; it goes out with the next delivery.
    pub(super) fn answer(&mut self, ticket: u64, answer: Result<Response, CallError>) {
        if let Some(call) = self.waiting.remove(&ticket) {
            self.ready.push((call.reply, answer));
        }
    }

    /// Sends out the answers, readers first: whoever follows a stream beside a POST should see what led to an answer
    /// before the answer, and the readers were woken when the log grew.
    pub(super) async fn deliver(&mut self, readers: &Seats) {
        if self.ready.is_empty() {
            return;
        }
        if readers.count() > 0 {
            tokio::task::yield_now().await;
        }
        for (reply, answer) in self.ready.drain(..) {
            drop(reply.send(answer));
        }
    }

    /// Fails the calls whose start `is_due`, and says which.
    pub(super) fn expire(&mut self, is_due: impl Fn(Instant) -> bool, error: &CallError) -> Vec<u64> {
        let due = self.waiting.extract_if(.., |_, call| is_due(call.since));
        due.map(|(ticket, call)| {
            drop(call.reply.send(Err(error.clone())));
            ticket
        })
        .collect()
    }

    /// Fails all of them.
    pub(super) fn fail_all(&mut self, error: &CallError) {
        for (_, call) in std::mem::take(&mut self.waiting) {
            drop(call.reply.send(Err(error.clone())));
        }
    }
}
