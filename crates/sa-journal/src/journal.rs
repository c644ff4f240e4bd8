//! The part that the writer and its readers share.

use crate::nudge::Nudge;
use crate::slots::Slots;
use crate::{Entry, Reader, Ring};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A ring with its readers. One task writes; the lock is held for a few instructions and never across an await.
#[derive(Debug)]
pub struct Journal<E> {
    ring: Mutex<Ring<E>>,
    pub(crate) slots: Slots,
    /// Set while the writer waits for readers.
    is_holding: AtomicBool,
    is_closed: AtomicBool,
    nudge: Nudge,
}

/// Readers that the writer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// When to look again, if no nudge comes before.
    pub until: Instant,
    /// Whether the writer was not waiting before.
    pub is_new: bool,
}

impl<E: Entry> Journal<E> {
    /// Starts a journal with this ring.
    pub fn new(ring: Ring<E>) -> Self {
        Self {
            ring: Mutex::new(ring),
            slots: Slots::new(),
            is_holding: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            nudge: Nudge::default(),
        }
    }

    /// Locks the ring.
    pub fn ring(&self) -> MutexGuard<'_, Ring<E>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an entry, hands out those that leave, then wakes the readers.
    pub fn append(&self, entry: E, evicted: impl FnMut(E)) {
        self.ring().append(entry, evicted);
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

    /// Starts a reader after this record.
    pub fn reader(self: &Arc<Self>, after: u64) -> Reader<E> {
        Reader::new(Arc::clone(self), after)
    }

    /// Returns how many readers there are.
    pub fn readers(&self) -> usize {
        self.slots.count()
    }

    /// Returns whether readers hold the writer back: those more than `lag` behind that took something within `stall`.
    pub fn hold(&self, lag: u64, stall: Duration) -> Option<Hold> {
        let end = self.ring().end();
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
        self.nudge.set();
    }

    /// Waits for a nudge: a reader left, or took something while the writer waited. Cancel-safe.
    pub fn nudged(&self) -> impl Future<Output = ()> {
        self.nudge.wait()
    }

    /// Wakes the writer if it waits for readers.
    pub(crate) fn nudge_if_holding(&self) {
        if self.is_holding.load(Ordering::Acquire) {
            self.nudge();
        }
    }
}
