//! How long is waited, and how much is kept.

use std::time::Duration;

/// Every bound that whoever runs the agent may want to change.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For the CLI to be ready after its start.
    pub handshake: Duration,
    /// For the answer to a question that the CLI may not know.
    pub control: Duration,
    /// For a turn to end after it was interrupted; then the CLI is ended, and started again for the next prompt.
    pub cancel: Duration,
    /// For MCP servers to be reached before the first prompt goes out without the tools of those that were not.
    pub mcp: Duration,
    /// For the CLI to end by itself once its input is closed.
    pub farewell: Duration,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(60),
            control: Duration::from_secs(10),
            // Less than the session's own limit (`cancel-ms`): it would give the whole process up.
            cancel: Duration::from_secs(7),
            mcp: Duration::from_secs(30),
            farewell: Duration::from_secs(3),
            grace: Duration::from_secs(2),
        }
    }
}

/// How long the handshake waits for what is good to know, after what has to be known is there.
pub(crate) const NICE_TO_KNOW: Duration = Duration::from_secs(3);

/// Between two questions whether the MCP servers are there.
pub(crate) const MCP_POLL: Duration = Duration::from_millis(150);

/// How long the next prompt waits for the CLI to say that it is idle, once it has told the result of the turn before.
pub(crate) const SETTLE: Duration = Duration::from_secs(5);

/// Orders to one CLI that may be unanswered.
pub(crate) const MAX_CONTROLS: usize = 64;
