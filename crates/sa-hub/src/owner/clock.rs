//! Deadlines of an owner: of its agent's state, of requests that wait, of readers that lag, of clients that left.

use super::Owner;
use super::calls::with_presence;
use super::run::{OutputState, Run};
use crate::CallError;
use crate::stats::add;
use sa_jsonrpc::{ErrorObject, codes};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::Instant;

impl Owner {
    /// Returns when the owner must act next.
    pub(super) fn next_deadline(&self, held_until: Option<Instant>) -> Option<Instant> {
        let due = [
            held_until,
            self.run.deadline(),
            self.patience.deadline(&self.relay),
            self.unattended_deadline(),
        ];
        due.into_iter().flatten().min()
    }

    /// Handles the deadlines that have passed. Breaks if the server is to end.
    pub(super) fn on_time(&mut self) -> ControlFlow<()> {
        let now = Instant::now();
        let is_held = self.held_until().is_some();
        match &mut self.run {
            Run::Live { phase, .. } => {
                let due = phase.on_time(now, if is_held { OutputState::Held } else { OutputState::Open });
                self.perform(due);
            }
            Run::Exited(exited) if exited.until.is_some_and(|until| until <= now) => {
                return ControlFlow::Break(());
            }
            Run::Idle | Run::Preparing(_) | Run::Exited(_) => {}
        }
        if let Some((through, silence)) = self.patience.exhausted(&self.relay, now) {
            self.give_up(through, silence);
        }
        if self.unattended_deadline().is_some_and(|deadline| deadline <= now) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Fails the requests that have waited through too long a silence. The agent may still answer; the streams get it.
    fn give_up(&mut self, through: u64, silence: Duration) {
        let message = CallError::Silent(silence).to_string();
        let error = ErrorObject { code: codes::INTERNAL_ERROR, message, data: None };
        let relay = &mut self.relay;
        let output =
            with_presence(&self.calls, &self.shared, |present| relay.give_up(through, &error, present));
        let records = output.segment.as_ref().map_or(0, |segment| segment.records(0).len());
        add(&self.parts.hub.stats.silences, (output.deliveries.len() + records) as u64);
        self.publish(output, None);
    }

    /// Returns until when the agent's output is left unread for readers that lag.
    pub(super) fn held_until(&self) -> Option<Instant> {
        let limits = &self.parts.hub.options.limits;
        self.run.pipes()?;
        let stall = Duration::from_millis(limits.reader_stall_ms);
        let hold = self.shared.journal.hold(limits.reader_lag_bytes, stall)?;
        if hold.is_new {
            add(&self.parts.hub.stats.holds, 1);
        }
        Some(hold.until.into())
    }

    /// Returns when a connection without clients ends. A request whose client is gone does not keep it: nobody could
    /// answer the agent's questions. While an agent is being prepared, its callers wait for that.
    fn unattended_deadline(&self) -> Option<Instant> {
        let grace = self.parts.timeouts.unattended.filter(|_| !self.run.is_preparing())?;
        let attended = self.shared.journal.readers() > 0 || self.calls.is_any_attached();
        (!attended).then(|| self.attended + grace)
    }
}
