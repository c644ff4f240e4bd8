//! Polls a future again at once when it wakes itself.
//!
//! hyper wakes the task of a connection from within that task, for example when a handler reads the request's body. The
//! runtime would put the task at the end of its queue and wake another thread to share the work, which costs a lone request
//! more than serving it.

use futures_util::task::AtomicWaker;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Polls of a future in a row before others get their turn.
const POLLS_IN_A_ROW: usize = 4;

/// Waiting: a wake-up is passed on to the task.
const WAITING: u8 = 0;
/// Being polled: a wake-up is noted.
const POLLED: u8 = 1;
/// A wake-up was noted or passed on.
const WOKEN: u8 = 2;

#[derive(Default)]
struct Bell {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.swap(WOKEN, Ordering::AcqRel) == WAITING {
            self.task.wake();
        }
    }
}

/// Runs a future and handles its wake-ups of itself without the runtime.
pub(crate) async fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    poll_fn(move |context| {
        bell.task.register(context.waker());
        for _ in 0..POLLS_IN_A_ROW {
            bell.state.store(POLLED, Ordering::Release);
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(output);
            }
            let quiet =
                bell.state.compare_exchange(POLLED, WAITING, Ordering::AcqRel, Ordering::Acquire).is_ok();
            if quiet {
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls `run` once around a future that wakes itself at its first `wakes` polls and returns the number of polls, the
    /// wake-ups of the task, and the waker that the future saw.
    fn polled(wakes: usize) -> (usize, Arc<Count>, Waker) {
        let count = Arc::new(Count::default());
        let mut polls = 0;
        let mut seen = None;
        {
            let mut future = pin!(run(poll_fn(|context| {
                polls += 1;
                if polls <= wakes {
                    context.waker().wake_by_ref();
                }
                seen = Some(context.waker().clone());
                Poll::<()>::Pending
            })));
            let waker = Waker::from(Arc::clone(&count));
            assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        (polls, count, seen.unwrap_or_else(|| Waker::noop().clone()))
    }

    fn woken(count: &Count) -> usize {
        count.0.load(Ordering::Relaxed)
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again_without_its_task() {
        let (polls, count, _) = polled(2);
        assert_eq!((polls, woken(&count)), (3, 0));
    }

    #[test]
    fn others_get_their_turn() {
        let (polls, count, _) = polled(usize::MAX);
        assert_eq!((polls, woken(&count)), (POLLS_IN_A_ROW, 1));
    }

    #[test]
    fn a_wake_up_between_polls_reaches_the_task_once() {
        let (_, count, waker) = polled(0);
        assert_eq!(woken(&count), 0);
        waker.wake_by_ref();
        waker.wake();
        assert_eq!(woken(&count), 1);
    }
}
