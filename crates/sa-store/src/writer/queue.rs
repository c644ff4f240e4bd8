//! The way to the writer: bounded in bytes and in number, so that callers that are faster than the disk wait.

use super::Transaction;
use crate::error::{Result, StoreError};
use crate::limits::{CHANGE_COST, QUEUE_BYTES, QUEUE_CHANGES};
use crate::listings::Census;
use crate::types::Stats;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

/// A task of the writer.
pub(crate) enum Work {
    /// A change, to be committed together with others.
    Change(Box<dyn Task>),
    Read(Box<dyn FnOnce(&mut Connection) + Send>),
    /// Look at what was abandoned.
    Wake,
    Close(oneshot::Sender<()>),
}

/// A change, and the channel of its caller.
pub(crate) trait Task: Send {
    fn bytes(&self) -> usize;
    /// Makes it, within a transaction. If that is rolled back, perhaps once more.
    fn run(&mut self, transaction: &Transaction<'_>) -> Result<()>;
    /// Says how it went, once the transaction is over.
    fn answer(self: Box<Self>, outcome: Result<()>);
}

struct Typed<T, F> {
    bytes: usize,
    make: F,
    made: Option<T>,
    answer: oneshot::Sender<Result<T>>,
    _permit: OwnedSemaphorePermit,
}

impl<T, F> Task for Typed<T, F>
where
    T: Send,
    F: FnMut(&Transaction<'_>) -> Result<T> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn run(&mut self, transaction: &Transaction<'_>) -> Result<()> {
        self.made = Some((self.make)(transaction)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<()>) {
        let Self { made, answer, .. } = *self;
        // The caller may have gone; the change is made all the same.
        let _ = answer.send(outcome.and_then(|()| made.ok_or(StoreError::Closed)));
    }
}

/// Counters of the writer, without the bytes that wait for it.
pub(super) type Counters = Mutex<Stats>;

impl Stats {
    /// Adds up what came and went.
    pub(super) fn count(&mut self, more: Census) {
        self.sessions = self.sessions.saturating_add_signed(more.sessions);
        self.ended = self.ended.saturating_add_signed(more.ended);
    }
}

/// The sending end.
#[derive(Debug)]
pub(crate) struct Queue {
    sender: mpsc::Sender<Work>,
    bytes: Arc<Semaphore>,
    abandoned: Arc<Mutex<Vec<i64>>>,
    counters: Arc<Counters>,
    growth: Growth,
}

/// Bytes that were written since the last sweep.
#[derive(Debug)]
struct Growth {
    written: AtomicU64,
    /// So many make another sweep worth it.
    enough: u64,
    reached: Notify,
}

/// The writer's end.
pub(super) struct Inbox {
    receiver: mpsc::Receiver<Work>,
    abandoned: Arc<Mutex<Vec<i64>>>,
}

/// Makes the queue; `growth` is how many bytes are written between two sweeps.
pub(super) fn queue(growth: u64) -> (Queue, Inbox) {
    let (sender, receiver) = mpsc::channel(QUEUE_CHANGES);
    let abandoned: Arc<Mutex<Vec<i64>>> = Arc::default();
    let bytes = Arc::new(Semaphore::new(QUEUE_BYTES));
    let growth = Growth { written: AtomicU64::new(0), enough: growth, reached: Notify::new() };
    let counters = Arc::default();
    let queue = Queue { sender, bytes, abandoned: Arc::clone(&abandoned), counters, growth };
    (queue, Inbox { receiver, abandoned })
}

impl Queue {
    /// Waits for room, hands a change over and waits until it is committed. Once it is handed over it is made, even if
    /// nobody waits any more.
    pub(crate) async fn change<T, F>(&self, bytes: usize, make: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Transaction<'_>) -> Result<T> + Send + 'static,
    {
        let bytes = bytes.saturating_add(CHANGE_COST);
        // One that is larger than the queue gets through when it is alone.
        let wanted = u32::try_from(bytes.min(QUEUE_BYTES)).unwrap_or(u32::MAX);
        let permit =
            Arc::clone(&self.bytes).acquire_many_owned(wanted).await.map_err(|_| StoreError::Closed)?;
        let (answer, answered) = oneshot::channel();
        let task = Typed { bytes, make, made: None, answer, _permit: permit };
        self.send(Work::Change(Box::new(task))).await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Notes that so many bytes were written. Sweeps do not count, or one would lead to the next.
    pub(crate) fn grew(&self, bytes: usize) {
        let written = self.growth.written.fetch_add(bytes as u64, Relaxed) + bytes as u64;
        if written >= self.growth.enough {
            self.growth.reached.notify_one();
        }
    }

    /// Notes that a sweep was made.
    pub(crate) fn swept(&self) {
        self.growth.written.store(0, Relaxed);
    }

    /// Waits until another sweep is worth it.
    pub(crate) async fn has_grown(&self) {
        self.growth.reached.notified().await;
    }

    /// Hands something over.
    pub(crate) async fn send(&self, work: Work) -> Result<()> {
        self.sender.send(work).await.map_err(|_| StoreError::Closed)
    }

    /// Notes that an import will not be finished. It is remembered even if the queue is full.
    pub(crate) fn abandon(&self, session: i64) {
        self.abandoned.lock().push(session);
        let _ = self.sender.try_send(Work::Wake);
    }

    pub(super) fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    /// Returns the counters so far.
    pub(crate) fn stats(&self) -> Stats {
        let waiting = QUEUE_BYTES.saturating_sub(self.bytes.available_permits());
        Stats { queued_bytes: waiting as u64, ..*self.counters.lock() }
    }
}

impl Inbox {
    /// Waits for work; none is left when everybody has gone.
    pub(super) fn next(&mut self) -> Option<Work> {
        self.receiver.blocking_recv()
    }

    pub(super) fn try_next(&mut self) -> Result<Work, TryRecvError> {
        self.receiver.try_recv()
    }

    /// Imports that were abandoned since it was last asked.
    pub(super) fn abandoned(&self) -> Vec<i64> {
        std::mem::take(&mut *self.abandoned.lock())
    }
}
