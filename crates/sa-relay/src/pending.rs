//! Requests that clients made and the agent has not answered: whose answer is whose.
//!
//! An id goes to the agent as the client wrote it, so that messages which speak of a request by its id (`$/cancel_request`)
//! mean the same on both sides. Only an id that another unanswered request already carries is replaced on the way
//! and put back into the answer.

use sa_jsonrpc::{Id, Message};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use thiserror::Error;

/// Who made a request and how the answer gets there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A POST that waits, known to its owner by this ticket.
    Post(u64),
    /// A request over the socket of this number.
    Socket(u32),
    /// Nobody waits: the answer goes to the event streams, under this scope.
    Stream(u32),
}

/// Why a request was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    /// The agent owes too many answers already.
    #[error("{0} requests are unanswered; the agent gets no more until it answers some")]
    TooManyPending(usize),
    /// Ids are kept until they are answered, so they have a bound.
    #[error("the id of a request may take {ID_BYTES} bytes, not {0}")]
    LongId(usize),
}

/// Longest id of a request, as it is written.
const ID_BYTES: usize = 1024;

/// A request that waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) caller: Caller,
    /// The id as the client wrote it.
    pub(crate) id: Box<str>,
    /// Counts the requests of this server.
    number: u64,
}

#[derive(Debug)]
pub(crate) struct Pending {
    waiting: HashMap<Id, Waiting>,
    limit: usize,
    admitted: u64,
    next_id: i64,
    first_ids: HashSet<Id>,
    reused: bool,
}

/// Replacement ids count from here: an integer every agent can read, far from where clients start to count.
const FIRST_REPLACEMENT: i64 = 1 << 52;

/// How many of a server's first request ids are remembered to notice that several clients share it. Clients that
/// count do so from 0 or 1, so a second one shows within its first requests.
const REMEMBERED_IDS: usize = 64;

impl Pending {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            waiting: HashMap::new(),
            limit,
            admitted: 0,
            next_id: FIRST_REPLACEMENT,
            first_ids: HashSet::new(),
            reused: false,
        }
    }

    /// Registers a request; the answer says under which id it goes to the agent, if not its own.
    pub(crate) fn admit<B: AsRef<[u8]>>(
        &mut self,
        request: &Message<B>,
        caller: Caller,
    ) -> Result<Option<String>, Refused> {
        if self.waiting.len() >= self.limit {
            return Err(Refused::TooManyPending(self.waiting.len()));
        }
        let text = request.id_text();
        if text.len() > ID_BYTES {
            return Err(Refused::LongId(text.len()));
        }
        let id = request.shape.id.clone().unwrap_or(Id::Null);
        self.remember(&id);
        self.admitted += 1;
        let waiting = Waiting { caller, id: text.into(), number: self.admitted };
        match self.waiting.entry(id) {
            Entry::Vacant(free) => {
                free.insert(waiting);
                Ok(None)
            }
            Entry::Occupied(_) => {
                let replacement = self.free_id();
                self.waiting.insert(Id::Int(replacement), waiting);
                Ok(Some(replacement.to_string()))
            }
        }
    }

    /// Takes the request that an answer with this id belongs to.
    pub(crate) fn answer(&mut self, id: &Id) -> Option<Waiting> {
        self.waiting.remove(id)
    }

    /// Nobody waits for this POST's answer any more; when it comes it goes to the streams. The entry stays until
    /// then: its id must not be given to another request while the agent may still answer it.
    pub(crate) fn abandon(&mut self, ticket: u64) {
        for waiting in self.waiting.values_mut().filter(|waiting| waiting.caller == Caller::Post(ticket)) {
            waiting.caller = Caller::Stream(0);
        }
    }

    /// Takes all requests, oldest first: the agent will not answer them.
    pub(crate) fn drain(&mut self) -> Vec<Waiting> {
        let mut waiting: Vec<Waiting> = self.waiting.drain().map(|(_, waiting)| waiting).collect();
        waiting.sort_unstable_by_key(|waiting| waiting.number);
        waiting
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether an id was used for more than one request: a sign of several clients.
    pub(crate) fn ids_were_reused(&self) -> bool {
        self.reused
    }

    /// Whether an id was used while another request with it was unanswered: proof of several clients.
    pub(crate) fn ids_collided(&self) -> bool {
        self.next_id > FIRST_REPLACEMENT
    }

    fn remember(&mut self, id: &Id) {
        if self.first_ids.contains(id) {
            self.reused = true;
        } else if self.first_ids.len() < REMEMBERED_IDS {
            self.first_ids.insert(id.clone());
        }
    }

    fn free_id(&mut self) -> i64 {
        while self.waiting.contains_key(&Id::Int(self.next_id)) {
            self.next_id += 1;
        }
        let id = self.next_id;
        self.next_id += 1;
        id
    }
}
