//! The calls that wait for an agent, and their answers on the way out.

use crate::command::Reply;
use crate::shared::Shared;
use crate::{CallError, Response};
use sa_relay::Presence;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Calls by ticket, in the order in which they came.
#[derive(Default)]
pub(super) struct Calls {
    waiting: BTreeMap<u64, Reply<Response>>,
    ready: Vec<(Reply<Response>, Result<Response, CallError>)>,
    next_ticket: u64,
}

/// Works with who listens to a server's agent.
pub(super) fn with_presence<T>(calls: &Calls, shared: &Shared, work: impl FnOnce(&Presence<'_>) -> T) -> T {
    work(&Presence {
        has_post: &|ticket| calls.is_attached(ticket),
        has_socket: &|socket| shared.sockets().contains(&socket),
        streams: shared.event_streams.load(Ordering::Relaxed),
    })
}

impl Calls {
    /// Returns a ticket that no other call has.
    pub(super) fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    /// Lets the call of this ticket wait from now on.
    pub(super) fn wait(&mut self, ticket: u64, reply: Reply<Response>) {
        self.waiting.insert(ticket, reply);
    }

    /// Returns whether a caller still waits for the answer.
    pub(super) fn is_attached(&self, ticket: u64) -> bool {
        self.waiting.get(&ticket).is_some_and(|reply| !reply.is_closed())
    }

    /// Returns whether somebody waits for any of the answers.
    pub(super) fn is_any_attached(&self) -> bool {
        self.waiting.values().any(|reply| !reply.is_closed())
    }

    /// Puts an answer on its way; it goes out with the next delivery.
    pub(super) fn answer(&mut self, ticket: u64, answer: Result<Response, CallError>) {
        if let Some(reply) = self.waiting.remove(&ticket) {
            self.ready.push((reply, answer));
        }
    }

    /// Sends the answers, after readers had a chance to run. A client that follows a stream and sends a POST then
    /// sees what led to an answer before the answer.
    pub(super) async fn deliver(&mut self, shared: &Shared) {
        if self.ready.is_empty() {
            return;
        }
        if shared.journal.readers() > 0 {
            tokio::task::yield_now().await;
        }
        for (reply, answer) in self.ready.drain(..) {
            drop(reply.send(answer));
        }
    }

    pub(super) fn fail_all(&mut self, error: &CallError) {
        for (_, reply) in std::mem::take(&mut self.waiting) {
            drop(reply.send(Err(error.clone())));
        }
    }
}
