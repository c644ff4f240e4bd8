//! Wakes the writer.

use futures_util::task::AtomicWaker;
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

/// A flag that one task waits for. It stays set until that task has seen it.
#[derive(Debug, Default)]
pub(crate) struct Nudge {
    is_set: AtomicBool,
    waker: AtomicWaker,
}

impl Nudge {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        self.waker.wake();
    }

    /// Waits for the flag, and clears it.
    pub(crate) fn wait(&self) -> impl Future<Output = ()> {
        poll_fn(|context| {
            self.waker.register(context.waker());
            // After registering: a nudge is then either seen here or wakes this task.
            if self.is_set.swap(false, Ordering::AcqRel) { Poll::Ready(()) } else { Poll::Pending }
        })
    }
}
