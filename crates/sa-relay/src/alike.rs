//! Evidence that several clients count their requests alike: an id that was used before.

use sa_jsonrpc::Id;
use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

/// The number of requests that are remembered, and for which evidence counts.
const WINDOW: u64 = 4096;

/// The ids of a server's last requests, as hashes.
#[derive(Debug, Default)]
pub(crate) struct Alike {
    hasher: RandomState,
    seen: HashSet<u64>,
    order: VecDeque<u64>,
    /// Number of the last request whose id was used before.
    reused: Option<u64>,
    /// Number of the last request that proved that there are several clients.
    proof: Option<u64>,
}

impl Alike {
    /// Notes the id of a request. `is_taken`: another unanswered request carries it.
    pub(crate) fn note(&mut self, number: u64, id: &Id, is_taken: bool) {
        let hash = self.hasher.hash_one(id);
        if is_taken {
            self.proof = Some(number);
        }
        if !self.seen.insert(hash) {
            self.reused = Some(number);
            return;
        }
        self.order.push_back(hash);
        if self.order.len() as u64 > WINDOW
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
    }

    /// Returns whether clients count alike, as far as the last requests show. An id that was used again proves it only
    /// while several event streams are open: one client may use an id again.
    pub(crate) fn is_evident(&mut self, newest: u64, streams: usize) -> bool {
        if streams > 1 {
            self.proof = self.proof.max(self.reused);
        }
        self.proof.is_some_and(|proof| newest - proof < WINDOW)
    }
}
