//! The part that the writer and its readers share.

use crate::slots::Slots;
use crate::{Entry, Reader, Ring};
use futures_util::task::AtomicWaker;
use parking_lot::{Mutex, MutexGuard};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

/// A ring with its readers. One task writes; the lock is held for a few instructions and never across an await.
#[derive(Debug)]
pub struct Journal<E> {
    ring: Mutex<Ring<E>>,
    pub(crate) slots: Slots,
    /// Set while the writer waits for readers.
    is_holding: AtomicBool,
    is_closed: AtomicBool,
    is_nudged: AtomicBool,
    writer: AtomicWaker,
}

/// Readers that the writer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The time to check again, unless a nudge comes before.
    pub until: Instant,
    /// Set if the writer was not waiting before.
    pub is_new: bool,
}

impl<E: Entry> Journal<E> {
    pub fn new(ring: Ring<E>) -> Self {
        Self {
            ring: Mutex::new(ring),
            slots: Slots::new(),
            is_holding: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            is_nudged: AtomicBool::new(false),
            writer: AtomicWaker::new(),
        }
    }

    pub fn ring(&self) -> MutexGuard<'_, Ring<E>> {
        self.ring.lock()
    }

    /// Appends an entry, then wakes the readers.
    pub fn append(&self, entry: E) {
        self.ring().append(entry);
        self.slots.wake();
    }

    /// Ends the journal: readers end where it ends.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.slots.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    pub fn reader(self: &Arc<Self>, after: u64) -> Reader<E> {
        Reader::new(Arc::clone(self), after)
    }

    /// Returns how many readers there are.
    pub fn readers(&self) -> usize {
        self.slots.count()
    }

    /// Returns whether readers hold the writer back: those more than `lag` behind, or a quarter of the ring if that is
    /// less, that took something within `stall`.
    pub fn hold(&self, lag: usize, stall: Duration) -> Option<Hold> {
        let (end, limit) = {
            let ring = self.ring();
            (ring.end(), ring.limit())
        };
        // Readers must be waited for before their place leaves the ring, however small that is.
        let lag = lag.min(limit / 4) as u64;
        let look = || self.slots.held_until(end, lag, stall);
        // Looked at twice: a reader may catch up before it can see that it is waited for.
        let is_new = look().is_some() && !self.is_holding.swap(true, Ordering::AcqRel);
        let hold = look().map(|until| Hold { until, is_new });
        if hold.is_none() {
            self.is_holding.store(false, Ordering::Release);
        }
        hold
    }

    /// Wakes the writer.
    pub fn nudge(&self) {
        self.is_nudged.store(true, Ordering::Release);
        self.writer.wake();
    }

    /// Waits for a nudge: a reader left, or took something while the writer waited. Cancel-safe.
    pub fn nudged(&self) -> impl Future<Output = ()> {
        poll_fn(|context| {
            self.writer.register(context.waker());
            // After registering: a nudge is then either seen here or wakes the writer.
            if self.is_nudged.swap(false, Ordering::AcqRel) { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    /// Wakes the writer if it waits for readers.
    pub(crate) fn nudge_if_holding(&self) {
        if self.is_holding.load(Ordering::Acquire) {
            self.nudge();
        }
    }
}
