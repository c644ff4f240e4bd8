//! Every bound of the HTTP edge, in one place. Each field is a key of `[limits]` in the configuration file; the defaults here are what
//! the documentation states.

use serde::{Deserialize, Serialize};

/// Bounds on requests, streams and connections. Byte sizes are in bytes, times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct HttpLimits {
    /// Largest request body.
    pub body_bytes: usize,
    /// Time a client has to send a request's headers, and `initialize` on a new WebSocket of `/acp`.
    pub header_read_ms: u64,
    /// A socket that takes or acknowledges no byte for this long is closed.
    pub write_stall_ms: u64,
    /// Pause between heartbeats on event streams.
    pub heartbeat_ms: u64,
    /// A request that waits longer than this is answered with headers and then kept alive with white space (0: at
    /// once, so that every failure of an agent is a JSON-RPC error in the body).
    pub early_answer_ms: u64,
    /// Sessions of one `/acp` connection whose streams have readers at once.
    pub streams_per_connection: usize,
    /// Life of a WebSocket ticket.
    pub ticket_ms: u64,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_bytes: 64 << 20,
            header_read_ms: 30_000,
            write_stall_ms: 30_000,
            heartbeat_ms: 15_000,
            early_answer_ms: 10_000,
            streams_per_connection: 256,
            ticket_ms: 30_000,
        }
    }
}
