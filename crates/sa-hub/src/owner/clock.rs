//! What the passing of time does to an owner: silence, readers that catch up or not, ends that are enforced.

use super::Owner;
use super::agent_side::DRAIN;
use crate::CallError;
use crate::stats::add;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

impl Owner {
    /// When something is due at the latest.
    pub(super) fn next_deadline(&self, held_until: Option<Instant>) -> Option<Instant> {
        let due = [held_until, self.run_deadline, self.silence_deadline(), self.unattended_deadline()];
        due.into_iter().flatten().min()
    }

    pub(super) fn time_passed(&mut self) {
        let now = Instant::now();
        if self.run_deadline.is_some_and(|deadline| deadline <= now) {
            self.run_deadline_passed(now);
        }
        if self.silence_deadline().is_some_and(|deadline| deadline <= now) {
            self.silence(now);
        }
        self.done |= self.unattended_deadline().is_some_and(|deadline| deadline <= now);
    }

    fn run_deadline_passed(&mut self, now: Instant) {
        self.run_deadline = None;
        if self.exit.is_some() && self.held_until().is_some() {
            // What is left of the output waits for readers, not for the agent.
            self.run_deadline = Some(now + DRAIN);
        } else if self.exit.is_some() {
            self.end_run();
        } else if let Some(pipes) = &self.pipes {
            let (process, grace) = (pipes.process.clone(), self.stop_grace());
            self.exit_wait = Some(Box::pin(async move { process.stop(grace).await }));
        } else {
            self.done |= self.parts.unattended.is_some();
        }
    }

    /// Fails the calls that have waited through too long a silence. The agent may still answer; the streams get it.
    fn silence(&mut self, now: Instant) {
        let Some(silence) = self.parts.options.limits.silence() else { return };
        let heard = self.last_heard;
        let expired =
            self.calls.expire(|since| since.max(heard) + silence <= now, &CallError::Silent(silence));
        for ticket in expired {
            self.relay.abandon(ticket);
            add(&self.parts.stats.silences, 1);
        }
    }

    fn silence_deadline(&self) -> Option<Instant> {
        let oldest = self.calls.oldest().filter(|_| !self.relay.agent_waits())?;
        Some(oldest.max(self.last_heard) + self.parts.options.limits.silence()?)
    }

    /// Until when readers that are behind hold the agent's output back.
    pub(super) fn held_until(&self) -> Option<Instant> {
        let limits = &self.parts.options.limits;
        self.pipes.as_ref()?;
        let look = || {
            let end = self.shared.log().end();
            let stall = Duration::from_millis(limits.reader_stall_ms);
            // Readers must be waited for before their place leaves the log, however small that is.
            let lag = limits.reader_lag_bytes.min(limits.log_bytes / 4);
            self.shared.seats.lookout(end, lag as u64, stall).until
        };
        if look().is_none() {
            self.shared.holding.store(false, Ordering::Release);
            return None;
        }
        if !self.shared.holding.swap(true, Ordering::AcqRel) {
            add(&self.parts.stats.holds, 1);
        }
        // Once more: a reader may have caught up before it could see that it is waited for.
        look()
    }

    fn unattended_deadline(&self) -> Option<Instant> {
        let grace = self.parts.unattended?;
        let attended = self.shared.seats.count() > 0 || self.relay.pending_requests() > 0;
        (!attended).then(|| self.attended + grace)
    }
}
