//! Timers of a connection, which are used again from request to request.
//!
//! Each request has deadlines that it almost never reaches. A timer that is registered for a request and dropped with it
//! moves the earliest deadline of the runtime back and forth, and each time the thread that waits for events is woken. A timer
//! that stays registered after its request goes off early instead, finds that its deadline has moved, and waits again.

use parking_lot::Mutex;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Timers that a connection keeps: one for reading a head, one for waiting for an answer.
const KEPT: usize = 2;

/// The timers of one connection. Clones are the same timers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timers(Arc<Mutex<Vec<Pin<Box<Sleep>>>>>);

/// Resolves at its deadline.
#[derive(Debug)]
pub(crate) struct Alarm {
    deadline: Instant,
    state: State,
    timers: Timers,
}

#[derive(Debug)]
enum State {
    /// Never polled, so nothing is registered.
    New,
    /// Registered, for the deadline or for an earlier time.
    Waiting(Pin<Box<Sleep>>),
    Done,
}

impl Timers {
    pub(crate) fn sleep_until(&self, deadline: Instant) -> Alarm {
        Alarm { deadline, state: State::New, timers: self.clone() }
    }

    pub(crate) fn sleep(&self, duration: Duration) -> Alarm {
        self.sleep_until(Instant::now() + duration)
    }

    /// A timer that goes off at the deadline, or earlier.
    fn take(&self, deadline: Instant) -> Pin<Box<Sleep>> {
        let mut kept = self.0.lock();
        let early = kept.iter().position(|sleep| sleep.deadline() <= deadline);
        match early {
            Some(index) => kept.swap_remove(index),
            None => Box::pin(tokio::time::sleep_until(deadline)),
        }
    }

    fn keep(&self, sleep: Pin<Box<Sleep>>) {
        let mut kept = self.0.lock();
        if kept.len() < KEPT && !sleep.is_elapsed() {
            kept.push(sleep);
        }
    }
}

impl Alarm {
    /// Moves the deadline to a later time.
    pub(crate) fn postpone(&mut self, deadline: Instant) {
        self.deadline = deadline;
        if matches!(self.state, State::Done) {
            self.state = State::New;
        }
    }
}

impl Future for Alarm {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if matches!(this.state, State::New) {
            this.state = State::Waiting(this.timers.take(this.deadline));
        }
        let State::Waiting(sleep) = &mut this.state else { return Poll::Ready(()) };
        loop {
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= this.deadline {
                this.state = State::Done;
                return Poll::Ready(());
            }
            sleep.as_mut().reset(this.deadline);
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let State::Waiting(sleep) = mem::replace(&mut self.state, State::Done) {
            self.timers.keep(sleep);
        }
    }
}

impl hyper::rt::Sleep for Alarm {}

impl hyper::rt::Timer for Timers {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Self::sleep(self, duration))
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Self::sleep_until(self, deadline.into()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::task::Waker;

    const SECOND: Duration = Duration::from_secs(1);

    /// Polls an alarm once and drops it.
    fn wait_in_vain(timers: &Timers, duration: Duration) {
        let mut alarm = timers.sleep(duration);
        assert!(Pin::new(&mut alarm).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_was_used_before_keeps_the_new_deadline() {
        let timers = Timers::default();
        wait_in_vain(&timers, SECOND);
        let registered = timers.0.lock().first().unwrap().deadline();
        tokio::time::advance(SECOND / 2).await;
        let start = Instant::now();
        let mut alarm = timers.sleep(10 * SECOND);
        assert!(Pin::new(&mut alarm).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(matches!(&alarm.state, State::Waiting(sleep) if sleep.deadline() == registered));
        alarm.await;
        assert_eq!(start.elapsed(), 10 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_postponed_alarm_goes_off_at_its_last_deadline() {
        let start = Instant::now();
        let mut alarm = Timers::default().sleep(SECOND);
        assert!(Pin::new(&mut alarm).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        for round in 1..3 {
            alarm.postpone(start + round * 5 * SECOND);
            Pin::new(&mut alarm).await;
            assert_eq!(start.elapsed(), round * 5 * SECOND);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_deadline_does_not_wait_for_a_later_timer() {
        let timers = Timers::default();
        wait_in_vain(&timers, 60 * SECOND);
        let start = Instant::now();
        timers.sleep(SECOND).await;
        assert_eq!(start.elapsed(), SECOND);
        assert_eq!(timers.0.lock().len(), 1, "the later one is still there, the other one is over");
    }
}
