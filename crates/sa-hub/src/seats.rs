//! Who reads a server's log: how far each reader is, and how it is woken.

use futures_util::task::AtomicWaker;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// After this long, in milliseconds, a reader that is waited for without a limit is looked at again.
const PATIENCE: u64 = 60_000;

/// One reader's place, shared between the reader and the owner.
#[derive(Debug)]
pub(crate) struct Seat {
    waker: AtomicWaker,
    /// Framed bytes the reader has taken or will never take.
    position: AtomicU64,
    /// When it last took something, in milliseconds of the seats' clock.
    progress: AtomicU64,
    epoch: Instant,
    /// Whether it is an event stream that shows everybody's answers.
    stream: bool,
    /// Set if it holds the agent back for as long as it needs.
    patient: AtomicBool,
}

/// All readers of one server.
#[derive(Debug)]
pub(crate) struct Seats {
    taken: Mutex<Vec<Arc<Seat>>>,
    epoch: Instant,
}

/// What the seats look like to the owner.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lookout {
    /// A reader that keeps reading is this far behind.
    pub(crate) lag: u64,
    /// When the readers that hold the owner back stop counting, at the earliest, if nothing else happens.
    pub(crate) until: Option<Instant>,
}

impl Seats {
    pub(crate) fn new() -> Self {
        Self { taken: Mutex::default(), epoch: Instant::now() }
    }

    /// A seat for a reader that has everything before `position`.
    pub(crate) fn take(&self, position: u64, stream: bool) -> Arc<Seat> {
        let seat = Arc::new(Seat {
            waker: AtomicWaker::new(),
            position: AtomicU64::new(position),
            progress: AtomicU64::new(self.now()),
            epoch: self.epoch,
            stream,
            patient: AtomicBool::new(false),
        });
        self.lock().push(Arc::clone(&seat));
        seat
    }

    pub(crate) fn leave(&self, seat: &Arc<Seat>) {
        let mut taken = self.lock();
        taken.retain(|other| !Arc::ptr_eq(other, seat));
        if taken.is_empty() {
            *taken = Vec::new();
        }
    }

    pub(crate) fn wake(&self) {
        for seat in self.lock().iter() {
            seat.waker.wake();
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    pub(crate) fn streams(&self) -> usize {
        self.lock().iter().filter(|seat| seat.stream).count()
    }

    /// How far behind `end` the slowest reader is that took something within `stall`.
    pub(crate) fn lookout(&self, end: u64, limit: u64, stall: Duration) -> Lookout {
        let now = self.now();
        let stall = stall.as_millis() as u64;
        let mut lookout = Lookout::default();
        for seat in self.lock().iter() {
            let lag = end.saturating_sub(seat.position.load(Ordering::Relaxed));
            let progress = seat.progress.load(Ordering::Relaxed);
            let patient = seat.patient.load(Ordering::Relaxed);
            if lag > limit && (patient || now < progress + stall) {
                lookout.lag = lookout.lag.max(lag);
                // One that is waited for without a limit says itself when it has caught up.
                let ends = if patient { now + PATIENCE } else { progress + stall };
                let until = self.epoch + Duration::from_millis(ends);
                lookout.until = Some(lookout.until.map_or(until, |other| other.min(until)));
            }
        }
        lookout
    }

    fn now(&self) -> u64 {
        self.epoch.elapsed().as_millis() as u64
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the reader of this seat took everything up to `position`.
    pub(crate) fn moved(&self, seat: &Seat, position: u64) {
        seat.position.store(position, Ordering::Relaxed);
        seat.progress();
    }
}

impl Seat {
    fn progress(&self) {
        self.progress.store(self.epoch.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Has the agent wait for this reader without a limit.
    pub(crate) fn be_patient(&self) {
        self.patient.store(true, Ordering::Relaxed);
    }

    pub(crate) fn register(&self, waker: &std::task::Waker) {
        self.waker.register(waker);
    }
}

/// The sign of life of a reader, for whoever sees its bytes being taken: what it took last may be on its way for long.
#[derive(Debug, Clone)]
pub struct Pulse(Weak<Seat>);

impl Pulse {
    pub(crate) fn of(seat: &Arc<Seat>) -> Self {
        Self(Arc::downgrade(seat))
    }

    /// Notes that the reader took some bytes just now.
    pub fn beat(&self) {
        if let Some(seat) = self.0.upgrade() {
            seat.progress();
        }
    }
}
