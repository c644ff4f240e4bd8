//! The bounds of sessions. Each field is a key of `[sessions]` in the configuration file.

use sa_store::{Retention, Synchronous};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bounds on sessions, and how they are kept. Byte sizes are in bytes, times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SessionLimits {
    /// Sessions that exist at once, ended ones included.
    pub max: usize,
    /// Messages of one session that may wait for their turn.
    pub queue: usize,
    /// Time for an agent to greet and to open a session, installing not included.
    pub start_ms: u64,
    /// Time for an agent to answer other requests, such as a change of mode.
    pub call_ms: u64,
    /// A turn fails when the agent has said nothing for this long and waits for nobody (0: never).
    pub silence_ms: u64,
    /// An agent that has had nothing to do for this long is ended, if it can continue its session later (0: never).
    pub idle_ms: u64,
    /// Time for an agent to end a turn that was cancelled; after that its process is ended.
    pub cancel_ms: u64,
    /// The durability that an event needs before anybody sees it.
    pub synchronous: Synchronous,
    /// Events kept for one session; the oldest leave first.
    pub events: u64,
    /// Bytes kept for one session; the oldest events leave first.
    pub event_bytes: u64,
    /// Bytes kept for all sessions; the sessions that ended first leave first, then the oldest events of those idle longest.
    pub total_bytes: u64,
    /// Time that a session is kept after its end (0: forever).
    pub ended_ms: u64,
    /// The part of the conversation for an agent that cannot continue its own session.
    pub replay_bytes: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        let kept = Retention::default();
        Self {
            max: 10_000,
            queue: 64,
            start_ms: 60_000,
            call_ms: 30_000,
            silence_ms: 600_000,
            idle_ms: 0,
            cancel_ms: 10_000,
            synchronous: Synchronous::default(),
            events: kept.events_per_session,
            event_bytes: kept.bytes_per_session,
            total_bytes: kept.total_bytes,
            ended_ms: kept.ended_sessions_ms.unwrap_or(0),
            replay_bytes: 64 * 1024,
        }
    }
}

impl SessionLimits {
    pub(crate) fn start(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    pub(crate) fn call(&self) -> Duration {
        Duration::from_millis(self.call_ms)
    }

    pub(crate) fn cancel(&self) -> Duration {
        Duration::from_millis(self.cancel_ms)
    }

    pub(crate) fn idle(&self) -> Option<Duration> {
        (self.idle_ms > 0).then(|| Duration::from_millis(self.idle_ms))
    }

    pub(crate) fn silence(&self) -> Option<Duration> {
        (self.silence_ms > 0).then(|| Duration::from_millis(self.silence_ms))
    }
}
