//! How long is waited, and how much is kept.

use std::time::Duration;

/// Every bound that whoever runs the agent may want to change.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For the app-server to be ready after its start.
    pub handshake: Duration,
    /// For the app-server to open a thread.
    pub open: Duration,
    /// For the answer to a question that the app-server may not know.
    pub control: Duration,
    /// For a turn to end after it was interrupted; then the prompt is answered without that. After as long again, the
    /// app-server is ended if a prompt waits behind the turn.
    pub cancel: Duration,
    /// For the app-server to unload a thread that was closed.
    pub unload: Duration,
    /// For another process to let go of a thread that is to be opened.
    pub held: Duration,
    /// For MCP servers to be reached before the first prompt goes out without the tools of those that were not.
    pub mcp: Duration,
    /// For the app-server to end by itself once its input is closed.
    pub farewell: Duration,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(60),
            open: Duration::from_secs(120),
            control: Duration::from_secs(10),
            // Less than the session's own limit (`cancel-ms`): it would give the whole process up.
            cancel: Duration::from_secs(7),
            unload: Duration::from_millis(1_500),
            held: Duration::from_secs(5),
            mcp: Duration::from_secs(30),
            farewell: Duration::from_secs(3),
            grace: Duration::from_secs(2),
        }
    }
}

/// Between two attempts to open a thread that another process holds.
pub(crate) const RETRY: Duration = Duration::from_millis(100);

/// How often the app-server is started while others set up the same home.
pub(crate) const COLLISIONS: u32 = 5;

/// As much of a command's output is kept, in bytes: what the app-server keeps itself.
pub(crate) const PRINT_KEPT: usize = 1 << 20;

/// Sessions on a page of the list.
pub(crate) const PAGE: u32 = 50;
