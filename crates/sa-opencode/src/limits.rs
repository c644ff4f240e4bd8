//! How long is waited, and how much is kept.

use std::time::Duration;

/// Every bound that whoever runs the agent may want to change.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For the server to be ready after its start.
    pub handshake: Duration,
    /// For the server to open a session: the first one of a directory loads a lot.
    pub open: Duration,
    /// For other answers of the server.
    pub control: Duration,
    /// For a turn to end after it was aborted; then the prompt is answered without that. After as long again, the server is
    /// ended if a prompt waits behind the turn.
    pub cancel: Duration,
    /// For events to arrive that were sent before the answer to a prompt.
    pub settle: Duration,
    /// For MCP servers to be reached before the first prompt goes out without the tools of those that were not.
    pub mcp: Duration,
    /// How often a request to the model is tried again before the prompt fails. The server itself never gives up.
    pub retries: u64,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(60),
            open: Duration::from_secs(120),
            control: Duration::from_secs(30),
            // Less than the session's own limit (`cancel-ms`): it would give the whole process up.
            cancel: Duration::from_secs(7),
            settle: Duration::from_secs(1),
            mcp: Duration::from_secs(60),
            retries: 3,
            grace: Duration::from_secs(2),
        }
    }
}

/// What is left of a request whose connection broke: the process may be about to end, which tells more.
pub(crate) const BROKEN: Duration = Duration::from_secs(2);

/// How long the server waits for an MCP server, in milliseconds; by itself it gives up sooner.
pub(crate) const MCP_TIMEOUT: u64 = 30_000;

/// Sessions on a page of the list.
pub(crate) const PAGE: usize = 50;

/// How often the server is started again on another port when its own was taken meanwhile.
pub(crate) const PORTS: u32 = 3;
