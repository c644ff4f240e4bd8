//! The slots of readers: how far each one is, and how it is woken.

use futures_util::task::AtomicWaker;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::time::{Duration, Instant};

/// The interval at which a reader that is waited for without a limit is checked. It reports itself that it has caught
/// up.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// The state that a reader and the writer share.
#[derive(Debug)]
pub(crate) struct Slot {
    waker: AtomicWaker,
    /// The amount that the reader has taken or will never take.
    position: AtomicU64,
    /// The time of the last read, in milliseconds since the epoch.
    progress: AtomicU64,
    epoch: Instant,
    /// Set if it holds the writer back however long it takes.
    is_patient: AtomicBool,
}

impl Slot {
    pub(crate) fn register(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    /// Notes that the reader took everything up to `position`.
    pub(crate) fn move_to(&self, position: u64) {
        self.position.store(position, Ordering::Relaxed);
        self.progress();
    }

    pub(crate) fn progress(&self) {
        self.progress.store(millis(self.epoch.elapsed()), Ordering::Relaxed);
    }

    pub(crate) fn be_patient(&self) {
        self.is_patient.store(true, Ordering::Relaxed);
    }

    /// Returns until when the writer waits for a reader that lags; nothing for one that has stalled.
    fn held_until(&self, now: Instant, stall: Duration) -> Option<Instant> {
        if self.is_patient.load(Ordering::Relaxed) {
            return Some(now + LOOK_AGAIN);
        }
        let progress = Duration::from_millis(self.progress.load(Ordering::Relaxed));
        Some(self.epoch + progress + stall).filter(|until| *until > now)
    }
}

/// All readers of a journal.
#[derive(Debug)]
pub(crate) struct Slots {
    taken: Mutex<Vec<Arc<Slot>>>,
    epoch: Instant,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { taken: Mutex::default(), epoch: Instant::now() }
    }

    /// Takes a slot for a reader at this position.
    pub(crate) fn take(&self, position: u64) -> Arc<Slot> {
        let slot = Arc::new(Slot {
            waker: AtomicWaker::new(),
            position: AtomicU64::new(position),
            progress: AtomicU64::new(millis(self.epoch.elapsed())),
            epoch: self.epoch,
            is_patient: AtomicBool::new(false),
        });
        self.lock().push(Arc::clone(&slot));
        slot
    }

    pub(crate) fn leave(&self, slot: &Arc<Slot>) {
        let mut taken = self.lock();
        taken.retain(|other| !Arc::ptr_eq(other, slot));
        if taken.is_empty() {
            *taken = Vec::new();
        }
    }

    pub(crate) fn wake(&self) {
        for slot in self.lock().iter() {
            slot.waker.wake();
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Returns when the first of the readers that are more than `lag` behind `end` may stop counting. Nothing if all of
    /// those have stalled.
    pub(crate) fn held_until(&self, end: u64, lag: u64, stall: Duration) -> Option<Instant> {
        let slots = self.lock();
        let mut behind = slots
            .iter()
            .filter(|slot| end.saturating_sub(slot.position.load(Ordering::Relaxed)) > lag)
            .peekable();
        behind.peek()?;
        let now = Instant::now();
        behind.filter_map(|slot| slot.held_until(now, stall)).min()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Slot>>> {
        self.taken.lock()
    }
}

/// The sign of life of a reader whose entries take long to be sent: each written byte counts as progress.
#[derive(Debug, Clone)]
pub struct Pulse(Weak<Slot>);

impl Pulse {
    pub(crate) fn new(slot: &Arc<Slot>) -> Self {
        Self(Arc::downgrade(slot))
    }

    /// Notes that some bytes were taken just now.
    pub fn beat(&self) {
        if let Some(slot) = self.0.upgrade() {
            slot.progress();
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
