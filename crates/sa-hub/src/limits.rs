//! Every bound of the hub, in one place. Each field is a key of `[limits]` in the configuration file; the
//! defaults here are what the documentation states.

use serde::{Deserialize, Serialize};
use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Bounds on memory, counts and waits. Byte sizes are in bytes, times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Limits {
    /// Replay log of one ACP server; the oldest messages leave it first.
    pub log_bytes: usize,
    /// Longest line an agent may write; a longer one becomes an `unparsed` event.
    pub line_bytes: usize,
    /// Bytes of an unparsable line that its `unparsed` event carries.
    pub unparsed_bytes: usize,
    /// Messages accepted for an agent that is not reading its input.
    pub stdin_queue_bytes: usize,
    /// Requests of clients that may wait for one agent.
    pub pending_requests: usize,
    /// Lag of a reader, in bytes, from which on the agent's output is left unread. A stalled reader does not count.
    pub reader_lag_bytes: usize,
    /// After this long without progress a reader no longer holds the agent back.
    pub reader_stall_ms: u64,
    /// ACP servers that exist at once.
    pub servers: usize,
    /// A request fails when the agent has said nothing for this long (0: never).
    pub silence_ms: u64,
    /// Time that a request for a stream waits for its server to be created.
    pub stream_wait_ms: u64,
    /// Time for an agent to exit after its input is closed, before SIGTERM. Many agents save their state only then.
    pub drain_ms: u64,
    /// Time between SIGTERM and SIGKILL for a process tree that is stopped.
    pub stop_grace_ms: u64,
    /// Time that a connection made on `/acp` outlives its last stream, socket or waiting POST.
    pub connection_grace_ms: u64,
    /// Whole time that shutting the daemon down may take.
    pub shutdown_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            log_bytes: 64 * MIB,
            line_bytes: 64 * MIB,
            unparsed_bytes: 64 * KIB,
            stdin_queue_bytes: 64 * MIB,
            pending_requests: 1024,
            reader_lag_bytes: 4 * MIB,
            reader_stall_ms: 1_000,
            servers: 1024,
            silence_ms: 600_000,
            stream_wait_ms: 1_000,
            drain_ms: 500,
            stop_grace_ms: 1_000,
            connection_grace_ms: 60_000,
            shutdown_ms: 5_000,
        }
    }
}

impl Limits {
    /// Returns the silence after which a request fails, if there is one.
    pub fn silence(&self) -> Option<Duration> {
        (self.silence_ms > 0).then(|| Duration::from_millis(self.silence_ms))
    }
}
