//! Named streams of a connection: its own and one for each of its sessions. Each has one reader at a time and
//! remembers how far that reader got, so that the next one goes on there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

/// The number of the stream that carries what belongs to no session.
pub const CONNECTION_SCOPE: u32 = 0;

/// Why a stream cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StreamError {
    /// Somebody reads it.
    #[error("this stream has a reader already; send Last-Event-ID to take it over")]
    Busy,
    /// The connection has as many streams as allowed.
    #[error("the connection has {0} streams, as many as allowed")]
    TooMany(usize),
}

#[derive(Debug, Default)]
pub(crate) struct Streams {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    scopes: HashMap<Box<str>, u32>,
    slots: HashMap<u32, Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    delivered: Arc<AtomicU64>,
    current: Weak<CancellationToken>,
}

/// One reader's hold on a stream.
#[derive(Debug)]
pub struct Attachment {
    /// Number of the stream.
    pub scope: u32,
    /// The reader starts after this record.
    pub after: u64,
    delivered: Arc<AtomicU64>,
    replaced: Arc<CancellationToken>,
}

impl Attachment {
    /// Notes that the reader has everything up to this record.
    pub fn delivered(&self, sequence: u64) {
        self.delivered.fetch_max(sequence, Ordering::Relaxed);
    }

    /// Cancelled when another reader takes the stream over.
    pub fn replaced(&self) -> CancellationToken {
        CancellationToken::clone(&self.replaced)
    }
}

impl Streams {
    /// The number of the stream of that session, new or not.
    pub(crate) fn scope(&self, session: &str, limit: usize) -> Result<u32, StreamError> {
        let mut table = self.lock();
        if let Some(scope) = table.scopes.get(session) {
            return Ok(*scope);
        }
        let scope = table.scopes.len() as u32 + 1;
        if table.scopes.len() >= limit {
            return Err(StreamError::TooMany(limit));
        }
        table.scopes.insert(session.into(), scope);
        Ok(scope)
    }

    /// Whether the stream has a reader now.
    pub(crate) fn is_attached(&self, scope: u32) -> bool {
        self.lock().slots.get(&scope).is_some_and(|slot| slot.current.strong_count() > 0)
    }

    /// Takes a stream. A reader that names the event it saw last ends the one before it; without that the stream
    /// must be free.
    pub(crate) fn attach(&self, scope: u32, last_event_id: Option<u64>) -> Result<Attachment, StreamError> {
        let mut table = self.lock();
        let slot = table.slots.entry(scope).or_default();
        if let Some(current) = slot.current.upgrade() {
            if last_event_id.is_none() {
                return Err(StreamError::Busy);
            }
            current.cancel();
        }
        let replaced = Arc::new(CancellationToken::new());
        slot.current = Arc::downgrade(&replaced);
        let delivered = Arc::clone(&slot.delivered);
        let after = last_event_id.unwrap_or_else(|| delivered.load(Ordering::Relaxed));
        Ok(Attachment { scope, after, delivered, replaced })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_next_reader_goes_on_where_the_last_one_stopped() {
        let streams = Streams::default();
        let scope = streams.scope("s", 2).unwrap();
        let first = streams.attach(scope, None).unwrap();
        assert_eq!((first.after, streams.attach(scope, None).unwrap_err()), (0, StreamError::Busy));
        first.delivered(7);
        let second = streams.attach(scope, Some(3)).unwrap();
        assert!(first.replaced().is_cancelled() && second.after == 3);
        drop((first, second));
        assert_eq!(streams.attach(scope, None).unwrap().after, 7);
    }

    #[test]
    fn streams_are_bounded_and_named_once() {
        let streams = Streams::default();
        assert_eq!(streams.scope("a", 1), streams.scope("a", 1));
        assert_eq!(streams.scope("b", 1), Err(StreamError::TooMany(1)));
        assert!(!streams.is_attached(1));
    }
}
