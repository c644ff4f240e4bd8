//! Requests that clients made and the agent has not answered: whose answer is whose.
//!
//! ```text
//!           admit              answer, drain
//!  (free) ─────────► waiting ─────────────────► (free)
//!                       │ give_up                 ▲
//!                       └──────► given up ────────┘ answer, drain, or as many have come after it
//! ```
//!
//! An id goes to the agent as the client wrote it. It is replaced on the way, and put back into the answer, if another
//! unanswered request carries it, or if programs that read numbers as floats would change it.

use crate::alike::Alike;
use sa_jsonrpc::{Id, Message};
use std::collections::{BTreeMap, HashMap, VecDeque};
use thiserror::Error;

/// The sender of a request, and the way of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A POST that waits, known to its owner by this ticket.
    Post(u64),
    /// A request over the socket of this number.
    Socket(u32),
    /// Nobody waits: the answer goes to the event streams, under this scope.
    Stream(u32),
}

/// The reason why a message was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    /// The agent owes too many answers already.
    #[error("{0} requests are unanswered; the agent gets no more until it answers some")]
    TooManyPending(usize),
    /// Ids are kept until they are answered, so they have a bound.
    #[error("the id of a request may take {ID_BYTES} bytes, not {0}")]
    LongId(usize),
    /// A `$/cancel_request` fits several unanswered requests.
    #[error("{0} unanswered requests have this id; cancel over the WebSocket that made the request")]
    AmbiguousCancel(usize),
}

/// Longest id of a request, as it is written.
const ID_BYTES: usize = 1024;

/// Requests that were given up and whose ids stay reserved.
const GIVEN_UP: usize = 1024;

/// Replacement ids count from here: an integer every agent can read, far from where clients start to count.
const FIRST_REPLACEMENT: i64 = 1 << 52;

/// The receiver of the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    Waits(Caller),
    /// A client whose POST has failed: it may still look for the answer on a stream.
    GaveUp,
    /// Nobody: the caller got an error in its place.
    Failed,
}

/// A request that the agent has not answered.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub(crate) asker: Asker,
    /// The id as the client wrote it.
    pub(crate) id: Box<str>,
    value: Id,
    /// Counts the requests of this server.
    number: u64,
    /// Another request had this id while this one waited.
    pub(crate) contested: bool,
    /// One of those came over another socket.
    pub(crate) contested_by_socket: bool,
}

impl Waiting {
    fn socket(&self) -> Option<u32> {
        match self.asker {
            Asker::Waits(Caller::Socket(socket)) => Some(socket),
            _ => None,
        }
    }
}

/// The destination of a `$/cancel_request`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CancelRoute {
    /// The agent knows the request by the id that the client named.
    Verbatim,
    /// The agent knows it by this id.
    Replaced(String),
    /// The agent would take it for another client's request.
    Nowhere,
}

#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// By the id that the agent knows.
    requests: HashMap<Id, Waiting>,
    /// The requests that somebody waits for, by number.
    waiting: BTreeMap<u64, Id>,
    /// Those that nobody waits for, oldest first. The agent may still answer them, so their ids stay taken.
    given_up: VecDeque<Id>,
    /// A given-up id was forgotten. From then on no id may reach the agent twice, so all are replaced.
    has_forgotten: bool,
    limit: usize,
    admitted: u64,
    next_id: i64,
    alike: Alike,
}

/// Checks what can be said of a message without knowing its server.
pub fn check_message<B: AsRef<[u8]>>(message: &Message<B>) -> Result<(), Refused> {
    let length = message.id_text().len();
    if length > ID_BYTES { Err(Refused::LongId(length)) } else { Ok(()) }
}

impl Pending {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, next_id: FIRST_REPLACEMENT, ..Self::default() }
    }

    /// Registers a request. Returns the id under which it goes to the agent, if not its own.
    pub(crate) fn admit<B: AsRef<[u8]>>(
        &mut self,
        request: &Message<B>,
        caller: Caller,
    ) -> Result<Option<String>, Refused> {
        if self.waiting.len() >= self.limit {
            return Err(Refused::TooManyPending(self.waiting.len()));
        }
        check_message(request)?;
        let value = request.shape.id.clone().unwrap_or(Id::Null);
        self.admitted += 1;
        let mut waiting = Waiting {
            asker: Asker::Waits(caller),
            id: request.id_text().into(),
            value: value.clone(),
            number: self.admitted,
            contested: false,
            contested_by_socket: false,
        };
        for other in self.requests.values_mut().filter(|other| other.value == value) {
            other.contested = true;
            waiting.contested = true;
            if let (Some(mine), Some(theirs)) = (waiting.socket(), other.socket())
                && mine != theirs
            {
                other.contested_by_socket = true;
                waiting.contested_by_socket = true;
            }
        }
        self.alike.note(self.admitted, &value, waiting.contested);
        let replaces = self.has_forgotten || !value.is_exact() || self.requests.contains_key(&value);
        let (known, replacement) = if replaces {
            let replacement = self.free_id();
            (Id::Int(replacement), Some(replacement.to_string()))
        } else {
            (value, None)
        };
        self.waiting.insert(self.admitted, known.clone());
        self.requests.insert(known, waiting);
        Ok(replacement)
    }

    /// Takes the request that an answer with this id belongs to.
    pub(crate) fn answer(&mut self, id: &Id) -> Option<Waiting> {
        let request = self.requests.remove(id)?;
        if self.waiting.remove(&request.number).is_none() {
            self.given_up.retain(|other| other != id);
        }
        Some(request)
    }

    /// Returns whether a request waits for an answer with this id, as its client wrote it.
    pub(crate) fn has_client_id(&self, id: &Id) -> bool {
        self.requests.values().any(|request| request.value == *id)
    }

    /// Ends the wait for all requests up to this number, and returns them as they waited, oldest first. Their ids stay
    /// taken: the agent may still answer them, and that answer must not be taken for another's.
    pub(crate) fn give_up(&mut self, through: u64) -> Vec<Waiting> {
        let later = self.waiting.split_off(&(through.saturating_add(1)));
        let mut ended = Vec::new();
        for (_, known) in std::mem::replace(&mut self.waiting, later) {
            let Some(request) = self.requests.get_mut(&known) else { continue };
            ended.push(request.clone());
            request.asker = match request.asker {
                Asker::Waits(Caller::Post(_)) => Asker::GaveUp,
                _ => Asker::Failed,
            };
            self.given_up.push_back(known);
        }
        while self.given_up.len() > GIVEN_UP {
            if let Some(oldest) = self.given_up.pop_front() {
                self.requests.remove(&oldest);
                self.has_forgotten = true;
            }
        }
        ended
    }

    /// Finds the request that a client means to cancel. Over a socket that is the socket's own, if it has one of that
    /// id. Other messages do not say which client sent them, so the id has to be unique among the requests that no open
    /// socket made.
    pub(crate) fn cancel(
        &self,
        id: &Id,
        caller: Caller,
        is_open: &dyn Fn(u32) -> bool,
    ) -> Result<CancelRoute, Refused> {
        let named: Vec<(&Id, &Waiting)> =
            self.requests.iter().filter(|(_, request)| request.value == *id).collect();
        let own = |request: &Waiting| request.asker == Asker::Waits(caller) && request.socket().is_some();
        let mut meant: Vec<&Id> =
            named.iter().filter(|(_, request)| own(request)).map(|(known, _)| *known).collect();
        if meant.is_empty() {
            let open = named.iter().filter(|(_, request)| !request.socket().is_some_and(is_open));
            meant = open.map(|(known, _)| *known).collect();
        }
        match meant[..] {
            [] if self.requests.contains_key(id) => Ok(CancelRoute::Nowhere),
            [] => Ok(CancelRoute::Verbatim),
            [known] if known == id => Ok(CancelRoute::Verbatim),
            [Id::Int(replacement)] => Ok(CancelRoute::Replaced(replacement.to_string())),
            [_] => Ok(CancelRoute::Nowhere),
            _ => Err(Refused::AmbiguousCancel(meant.len())),
        }
    }

    /// Takes all requests, oldest first: the agent will not answer them.
    pub(crate) fn drain(&mut self) -> Vec<Waiting> {
        self.waiting.clear();
        self.given_up.clear();
        self.has_forgotten = false;
        let mut requests: Vec<Waiting> = self.requests.drain().map(|(_, request)| request).collect();
        requests.sort_unstable_by_key(|request| request.number);
        requests
    }

    /// Returns the number of requests that the agent has not answered.
    pub(crate) fn len(&self) -> usize {
        self.requests.len()
    }

    /// Returns the number of the newest request, answered or not.
    pub(crate) fn newest(&self) -> u64 {
        self.admitted
    }

    /// Returns the number of the oldest request that somebody waits for.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.waiting.first_key_value().map(|(number, _)| *number)
    }

    /// Returns whether several clients evidently count their requests alike.
    pub(crate) fn ids_are_alike(&mut self, streams: usize) -> bool {
        self.alike.is_evident(self.admitted, streams)
    }

    fn free_id(&mut self) -> i64 {
        while self.requests.contains_key(&Id::Int(self.next_id)) {
            self.next_id += 1;
        }
        let id = self.next_id;
        self.next_id += 1;
        id
    }
}
