//! Who reads a process's log: how far each reader is, and how it is woken.

use futures_util::task::AtomicWaker;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

/// One reader's place, shared between the reader and the owner.
#[derive(Debug)]
pub(crate) struct Seat {
    waker: AtomicWaker,
    /// Bytes of output the reader has taken or will never take.
    position: AtomicU64,
    /// When it last took something, in milliseconds of the seats' clock.
    progress: AtomicU64,
}

/// All readers of one process.
#[derive(Debug)]
pub(crate) struct Seats {
    taken: Mutex<Vec<Arc<Seat>>>,
    epoch: Instant,
}

impl Seats {
    pub(crate) fn new() -> Self {
        Self { taken: Mutex::default(), epoch: Instant::now() }
    }

    /// A seat for a reader that has everything before `position`.
    pub(crate) fn take(&self, position: u64) -> Arc<Seat> {
        let seat = Arc::new(Seat {
            waker: AtomicWaker::new(),
            position: AtomicU64::new(position),
            progress: AtomicU64::new(self.now()),
        });
        self.lock().push(Arc::clone(&seat));
        seat
    }

    pub(crate) fn leave(&self, seat: &Arc<Seat>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, seat));
    }

    pub(crate) fn wake(&self) {
        for seat in self.lock().iter() {
            seat.waker.wake();
        }
    }

    /// Notes that the reader of this seat took everything up to `position`.
    pub(crate) fn moved(&self, seat: &Seat, position: u64) {
        seat.position.store(position, Ordering::Relaxed);
        seat.progress.store(self.now(), Ordering::Relaxed);
    }

    /// Until when a reader that keeps reading and is more than `limit` behind `end` holds the process back, if one
    /// does: at the latest until it counts as stalled.
    pub(crate) fn held_until(&self, end: u64, limit: u64, stall: Duration) -> Option<Instant> {
        let now = Instant::now();
        let seats = self.lock();
        let behind =
            seats.iter().filter(|seat| end.saturating_sub(seat.position.load(Ordering::Relaxed)) > limit);
        let until = |seat: &Arc<Seat>| {
            self.epoch + Duration::from_millis(seat.progress.load(Ordering::Relaxed)) + stall
        };
        behind.map(until).filter(|until| *until > now).max()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    pub(crate) fn register(&self, waker: &Waker) {
        self.waker.register(waker);
    }
}
