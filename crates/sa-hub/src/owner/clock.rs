//! What the passing of time does to an owner: silence, readers that catch up or not, ends that are enforced.

use super::Owner;
use super::agent_side::DRAIN;
use super::calls::with_presence;
use crate::CallError;
use crate::stats::add;
use sa_jsonrpc::{ErrorObject, codes};
use std::time::Duration;
use tokio::time::Instant;

impl Owner {
    /// When something is due at the latest.
    pub(super) fn next_deadline(&self, held_until: Option<Instant>) -> Option<Instant> {
        let due =
            [held_until, self.run_deadline, self.patience.deadline(&self.relay), self.unattended_deadline()];
        due.into_iter().flatten().min()
    }

    pub(super) fn time_passed(&mut self) {
        let now = Instant::now();
        if self.run_deadline.is_some_and(|deadline| deadline <= now) {
            self.run_deadline_passed(now);
        }
        if let Some((through, silence)) = self.patience.exhausted(&self.relay, now) {
            self.give_up(through, silence);
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
            self.done |= self.parts.tending.unattended.is_some();
        }
    }

    /// Fails the requests that have waited through too long a silence. The agent may still answer; the streams get it.
    fn give_up(&mut self, through: u64, silence: Duration) {
        let message = CallError::Silent(silence).to_string();
        let error = ErrorObject { code: codes::INTERNAL_ERROR, message, data: None };
        let relay = &mut self.relay;
        let output =
            with_presence(&self.calls, &self.shared, |present| relay.give_up(through, &error, present));
        let records = output.segment.as_ref().map_or(0, |segment| segment.records(0).len());
        add(&self.parts.stats.silences, (output.deliveries.len() + records) as u64);
        self.publish(output, None);
    }

    /// Until when readers that are behind hold the agent's output back.
    pub(super) fn held_until(&self) -> Option<Instant> {
        let limits = &self.parts.options.limits;
        self.pipes.as_ref()?;
        let stall = Duration::from_millis(limits.reader_stall_ms);
        let hold = self.shared.journal.hold(limits.reader_lag_bytes, stall)?;
        if hold.is_new {
            add(&self.parts.stats.holds, 1);
        }
        Some(hold.until.into())
    }

    /// A request whose client is gone does not keep a connection: nobody can answer what its agent may ask.
    fn unattended_deadline(&self) -> Option<Instant> {
        let grace = self.parts.tending.unattended?;
        let attended = self.shared.journal.readers() > 0 || self.calls.is_any_attached();
        (!attended).then(|| self.attended + grace)
    }
}
