//! A reader: a cursor with a slot.

use crate::slots::Slot;
use crate::{Entry, Gap, Journal, Pulse};
use std::sync::Arc;
use std::task::{Context, Poll};

/// A step of a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<T> {
    Entry(T),
    /// Something is missing before what follows.
    Gap(Gap),
}

/// Reads a journal from one record on, at its own pace.
#[derive(Debug)]
pub struct Reader<E: Entry> {
    journal: Arc<Journal<E>>,
    slot: Arc<Slot>,
    after: u64,
    /// The position of the cursor, where that is known.
    position: Option<u64>,
}

impl<E: Entry> Reader<E> {
    pub(crate) fn new(journal: Arc<Journal<E>>, after: u64) -> Self {
        let (position, start) = {
            let ring = journal.ring();
            (ring.position_after(after), ring.start())
        };
        // Entries that have left the ring count as taken.
        let slot = journal.slots.take(position.unwrap_or(start).max(start));
        Self { journal, slot, after, position }
    }

    /// Returns the number of the last record that the reader was given, or started after.
    pub fn cursor(&self) -> u64 {
        self.after
    }

    /// Returns the reader's sign of life.
    pub fn pulse(&self) -> Pulse {
        Pulse::new(&self.slot)
    }

    /// Holds the writer back however long this reader takes.
    pub fn hold_writer(&self) {
        self.slot.be_patient();
    }
}

impl<E: Entry + Clone> Reader<E> {
    /// Returns the next step if it is there already.
    pub fn try_step(&mut self) -> Option<Step<E>> {
        let ring = self.journal.ring();
        match ring.read(self.after) {
            Ok(Some(entry)) => {
                let entry = entry.clone();
                drop(ring);
                let position = entry.position_before(entry.last() + 1);
                (self.after, self.position) = (entry.last(), Some(position));
                self.slot.move_to(position);
                self.journal.nudge_if_holding();
                Some(Step::Entry(entry))
            }
            Err(gap) => {
                let start = ring.start();
                drop(ring);
                let lost = self.position.and_then(|position| start.checked_sub(position));
                (self.after, self.position) = (gap.oldest.saturating_sub(1), Some(start));
                Some(Step::Gap(Gap { lost, ..gap }))
            }
            Ok(None) => None,
        }
    }

    /// Polls for the next step; `None` once the journal is closed and everything was read.
    pub fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Option<Step<E>>> {
        self.slot.register(context.waker());
        // Looked up before the ring: an entry that is appended before the end is then never missed.
        let closed = self.journal.is_closed();
        match self.try_step() {
            Some(step) => Poll::Ready(Some(step)),
            None if closed => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// Waits for the next step. Cancel-safe.
    pub async fn step(&mut self) -> Option<Step<E>> {
        std::future::poll_fn(|context| self.poll_step(context)).await
    }
}

impl<E: Entry> Drop for Reader<E> {
    fn drop(&mut self) {
        self.journal.slots.leave(&self.slot);
        self.journal.nudge();
    }
}
