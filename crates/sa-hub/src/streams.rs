//! The streams of the standard transport: a connection's own, and one for each of its sessions.
//!
//! A stream has one reader at a time and remembers how far that reader got, so that the next one continues there.
//! Together the streams carry each message once, and everything about one session in the order of the log. A session
//! moves to its own stream at one record and stays there:
//!
//! ```text
//!             a request names it               the request succeeds, or a reader comes
//!  unknown ─────────────────────────► guest ─────────────────────────────────────────► own stream
//!     │                      of the connection's stream                                    ▲
//!     └────────────────────────────────────────────────────────────────────────────────────┘
//!                       the agent names it first, or a reader comes
//! ```
//!
//! The connection's reader sees every record, so it is the one that notices which sessions the agent names.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

/// The scope of answers that belong to no session.
pub const CONNECTION_SCOPE: u32 = 0;
/// Longest session id that can have its own stream. A longer one shares the connection's.
pub(crate) const SESSION_ID_BYTES: usize = 1024;

/// The reason why a stream cannot be attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StreamError {
    /// Somebody reads it.
    #[error("this stream has a reader already; send Last-Event-ID to take it over")]
    Busy,
    /// The connection has as many streams as allowed.
    #[error("{0} streams of this connection have readers, as many as limits.streams-per-connection allows")]
    TooMany(usize),
    /// No stream can have this name.
    #[error("a session id has at most {SESSION_ID_BYTES} bytes, not {0}")]
    LongSession(usize),
}

/// The subject of a record, as far as streams are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About<'a> {
    /// A message of the agent about this session, or about none.
    Session(Option<&'a str>),
    /// The answer to a request that was given this scope.
    Answer {
        scope: u32,
        /// Set if the agent answered with an error.
        is_error: bool,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Streams {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    connection: Option<Hold>,
    sessions: HashMap<Box<str>, Session>,
    last_scope: u32,
    /// The connection's readers have looked at every record up to this one.
    routed: u64,
    /// Counts uses of sessions, to find the least recently used one.
    uses: u64,
}

#[derive(Debug)]
struct Session {
    scope: u32,
    place: Carrier,
    used: u64,
    hold: Hold,
}

/// The stream that carries a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carrier {
    Guest,
    /// The session's own stream, after this record.
    Own(u64),
}

impl Carrier {
    fn is_own(self, record: u64) -> bool {
        matches!(self, Self::Own(since) if record > since)
    }
}

/// The reader of a stream, and how far readers got.
#[derive(Debug)]
struct Hold {
    delivered: Arc<AtomicU64>,
    current: Weak<CancellationToken>,
}

impl Hold {
    fn after(record: u64) -> Self {
        Self { delivered: Arc::new(AtomicU64::new(record)), current: Weak::new() }
    }

    fn is_taken(&self) -> bool {
        self.current.strong_count() > 0
    }

    /// Takes the stream. A reader that names the event it saw last ends the one before it; without that the stream
    /// must be free.
    fn take(&mut self, last_event_id: Option<u64>, stream: Stream) -> Result<Attachment, StreamError> {
        if let Some(current) = self.current.upgrade() {
            if last_event_id.is_none() {
                return Err(StreamError::Busy);
            }
            current.cancel();
        }
        let replaced = Arc::new(CancellationToken::new());
        self.current = Arc::downgrade(&replaced);
        let delivered = Arc::clone(&self.delivered);
        let after = last_event_id.unwrap_or_else(|| delivered.load(Ordering::Relaxed));
        Ok(Attachment { after, delivered, replaced, stream })
    }
}

/// One reader's hold on a stream.
#[derive(Debug)]
pub struct Attachment {
    /// The reader starts after this record.
    pub after: u64,
    delivered: Arc<AtomicU64>,
    replaced: Arc<CancellationToken>,
    stream: Stream,
}

/// The stream that a reader holds.
#[derive(Debug)]
enum Stream {
    Connection { streams: Arc<Streams>, limit: usize },
    Session { id: Box<str>, scope: u32, place: Carrier },
}

impl Attachment {
    /// Notes that the reader has everything up to this record.
    pub fn delivered(&self, record: u64) {
        self.delivered.fetch_max(record, Ordering::Relaxed);
    }

    /// Returns the token that is cancelled when another reader takes the stream over.
    pub fn replaced(&self) -> CancellationToken {
        CancellationToken::clone(&self.replaced)
    }

    /// Returns whether this stream carries a record. The connection's reader asks for each one, in order.
    pub fn carries(&self, record: u64, about: About<'_>) -> bool {
        match (&self.stream, about) {
            (Stream::Session { id, place, .. }, About::Session(session)) => {
                session == Some(&**id) && place.is_own(record)
            }
            (Stream::Session { scope: own, place, .. }, About::Answer { scope, .. }) => {
                scope == *own && place.is_own(record)
            }
            (Stream::Connection { streams, limit }, About::Session(Some(session))) => {
                session.len() > SESSION_ID_BYTES || streams.lock().message(session, record, *limit)
            }
            (Stream::Connection { .. }, About::Session(None)) => true,
            (Stream::Connection { streams, .. }, About::Answer { scope, is_error }) => {
                streams.lock().answer(scope, record, is_error)
            }
        }
    }

    /// Notes that a record made this session: what follows is on the session's own stream.
    pub fn made(&self, session: &str, record: u64) {
        if let Stream::Connection { streams, limit } = &self.stream {
            streams.lock().name(session, record, record, *limit);
        }
    }

    /// Notes that the reader has looked at every record up to this one.
    pub fn looked_at(&self, record: u64) {
        if let Stream::Connection { streams, .. } = &self.stream {
            let mut table = streams.lock();
            table.routed = table.routed.max(record);
        }
    }
}

impl Streams {
    /// Takes a stream, the connection's if no session is named. A session that is named for the first time starts
    /// after `before_log`, the record before the oldest one that is left, or where the connection's reader is.
    /// Nothing about it can lie before that.
    pub(crate) fn attach(
        self: &Arc<Self>,
        session: Option<&str>,
        last_event_id: Option<u64>,
        before_log: u64,
        limit: usize,
    ) -> Result<Attachment, StreamError> {
        let mut table = self.lock();
        let Some(id) = session else {
            let connection = table.connection.get_or_insert_with(|| Hold::after(before_log));
            return connection.take(last_event_id, Stream::Connection { streams: Arc::clone(self), limit });
        };
        if id.len() > SESSION_ID_BYTES {
            return Err(StreamError::LongSession(id.len()));
        }
        let start = table.routed.max(before_log);
        let session = table.session(id, Carrier::Own(start), limit).ok_or(StreamError::TooMany(limit))?;
        if session.place == Carrier::Guest {
            // Nobody has been shown what comes after `start`.
            session.place = Carrier::Own(start);
            session.hold = Hold::after(start);
        }
        let stream = Stream::Session { id: id.into(), scope: session.scope, place: session.place };
        session.hold.take(last_event_id, stream)
    }

    /// Returns the scope for the answer to a request about that session, or about none.
    pub(crate) fn answer_scope(&self, session: Option<&str>, before_log: u64, limit: usize) -> u32 {
        let mut table = self.lock();
        table.connection.get_or_insert_with(|| Hold::after(before_log));
        let session = session.filter(|id| id.len() <= SESSION_ID_BYTES);
        let session = session.and_then(|id| table.session(id, Carrier::Guest, limit));
        session.map_or(CONNECTION_SCOPE, |session| session.scope)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

impl Table {
    /// Returns the session of that id, new at that place if it is unknown; nothing if there is no room for it.
    fn session(&mut self, id: &str, place: Carrier, limit: usize) -> Option<&mut Session> {
        self.uses += 1;
        let used = self.uses;
        if !self.sessions.contains_key(id) {
            self.make_room(limit)?;
            self.last_scope += 1;
            let start = if let Carrier::Own(since) = place { since } else { 0 };
            let session = Session { scope: self.last_scope, place, used, hold: Hold::after(start) };
            self.sessions.insert(id.into(), session);
        }
        let session = self.sessions.get_mut(id)?;
        session.used = used;
        Some(session)
    }

    /// Forgets the session without a reader that was not used for the longest time, if there are too many.
    fn make_room(&mut self, limit: usize) -> Option<()> {
        if self.sessions.len() < limit {
            return Some(());
        }
        let idle = self.sessions.iter().filter(|(_, session)| !session.hold.is_taken());
        let oldest = idle.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone())?;
        self.sessions.remove(&oldest);
        Some(())
    }

    /// Gives a session that a record names its own stream after `since`, unless it has a place already or the record
    /// was looked at before. Returns nothing if there is no room for it.
    fn name(&mut self, session: &str, record: u64, since: u64, limit: usize) -> Option<Carrier> {
        let known = self.sessions.contains_key(session);
        if !known && (record <= self.routed || session.len() > SESSION_ID_BYTES) {
            return Some(Carrier::Own(since));
        }
        self.session(session, Carrier::Own(since), limit).map(|session| session.place)
    }

    /// Returns whether the connection's stream carries a message about a session.
    fn message(&mut self, session: &str, record: u64, limit: usize) -> bool {
        let place = self.name(session, record, record.saturating_sub(1), limit);
        place.is_none_or(|place| !place.is_own(record))
    }

    /// Returns whether the connection's stream carries an answer: its own, those of its guests, and those of sessions
    /// that were forgotten. A session whose request succeeded is no guest any more.
    fn answer(&mut self, scope: u32, record: u64, is_error: bool) -> bool {
        let Some((id, session)) = self.sessions.iter_mut().find(|(_, session)| session.scope == scope) else {
            return true;
        };
        if session.place == Carrier::Guest {
            session.place = Carrier::Own(record);
            session.hold = Hold::after(record);
            if is_error {
                // There may be no such session.
                let id = id.clone();
                self.sessions.remove(&id);
            }
            return true;
        }
        !session.place.is_own(record)
    }
}

#[cfg(test)]
mod tests;
