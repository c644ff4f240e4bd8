//! How long requests wait for an agent that says nothing.

use sa_relay::Relay;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// The time of the last output, and of the requests since then. Older requests have waited since that output, so
/// their times are not kept.
#[derive(Debug)]
pub(super) struct Patience {
    silence: Option<Duration>,
    heard: Instant,
    /// Consecutive numbers, oldest first, with the time of each.
    asked: VecDeque<(u64, Instant)>,
}

impl Patience {
    /// Waits for so long; forever if that is `None`.
    pub(super) fn new(silence: Option<Duration>) -> Self {
        Self { silence, heard: Instant::now(), asked: VecDeque::new() }
    }

    /// Restarts the silence: the agent said something, or only now has to.
    pub(super) fn restart(&mut self) {
        self.heard = Instant::now();
        self.asked.clear();
    }

    /// Notes the newest request.
    pub(super) fn on_request(&mut self, relay: &Relay) {
        if self.silence.is_some() {
            let oldest = relay.oldest_request().unwrap_or(u64::MAX);
            while self.asked.front().is_some_and(|(number, _)| *number < oldest) {
                self.asked.pop_front();
            }
            self.asked.push_back((relay.newest_request(), Instant::now()));
        }
    }

    /// Returns when the oldest request has waited for long enough. The clock stands while the agent waits for a client.
    pub(super) fn deadline(&self, relay: &Relay) -> Option<Instant> {
        let oldest = relay.oldest_request().filter(|_| !relay.agent_waits())?;
        let index = self.asked.front().and_then(|(first, _)| oldest.checked_sub(*first));
        let since = index.and_then(|index| self.asked.get(usize::try_from(index).ok()?));
        Some(since.map_or(self.heard, |(_, since)| *since) + self.silence?)
    }

    /// Returns the last request that has waited for long enough at `now`, and how long that is.
    pub(super) fn exhausted(&self, relay: &Relay, now: Instant) -> Option<(u64, Duration)> {
        let silence = self.silence?;
        self.deadline(relay).filter(|deadline| *deadline <= now)?;
        let in_time = self.asked.iter().find(|(_, since)| *since + silence > now);
        Some((in_time.map_or(relay.newest_request(), |(number, _)| number - 1), silence))
    }
}
