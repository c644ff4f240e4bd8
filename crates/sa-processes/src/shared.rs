//! What a process's owner shows to others: its log, its end, its readers' seats.

use crate::handle::Ended;
use crate::log::{Log, Stream};
use crate::seats::Seats;
use bytes::Bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::{Notify, Semaphore, watch};

/// One writer, the owner; everybody else reads. The lock is held for a few instructions and never across an await.
#[derive(Debug)]
pub(crate) struct Shared {
    log: Mutex<Log>,
    pub(crate) seats: Seats,
    /// Wakes the owner: a reader caught up or left.
    pub(crate) nudge: Notify,
    /// Whether the owner waits for readers to catch up.
    pub(crate) holding: AtomicBool,
    /// Bytes that may still be queued as input; closed when no more is taken.
    pub(crate) room: Arc<Semaphore>,
    ended: watch::Sender<Option<Ended>>,
}

impl Shared {
    pub(crate) fn new(log_bytes: usize, room: usize) -> Self {
        Self {
            log: Mutex::new(Log::new(log_bytes)),
            seats: Seats::new(),
            nudge: Notify::new(),
            holding: AtomicBool::new(false),
            room: Arc::new(Semaphore::new(room)),
            ended: watch::Sender::new(None),
        }
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to the log, then tells the readers.
    pub(crate) fn append(&self, stream: Stream, data: Bytes) {
        self.log().append(stream, now_ms(), data);
        self.seats.wake();
    }

    /// It is over: nothing more will be added.
    pub(crate) fn end(&self, ended: Ended) {
        self.room.close();
        self.ended.send_replace(Some(ended));
        self.seats.wake();
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    pub(crate) async fn wait_for_end(&self) {
        // An error means that the sender is gone, and it lives in `self`.
        let _ = self.ended.subscribe().wait_for(Option::is_some).await;
    }

    /// A reader took something or left; the owner may wait for that.
    pub(crate) fn caught_up(&self) {
        if self.holding.load(Ordering::Acquire) {
            self.nudge.notify_one();
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
