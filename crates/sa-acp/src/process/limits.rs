//! How long an agent waits.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For the CLI to be ready after its start.
    pub handshake: Duration,
    /// For the CLI to open a session.
    pub open: Duration,
    /// For other answers of the CLI.
    pub control: Duration,
    /// For a turn to end after it was interrupted. It has to be less than the session's own limit (`cancel-ms`), which stops
    /// the whole process.
    pub cancel: Duration,
    /// For MCP servers to be reached before the first prompt is sent without their tools.
    pub mcp: Duration,
    /// For the CLI to exit by itself once its input is closed.
    pub drain: Duration,
    /// For the CLI to exit after it closed its standard output. It has to be more than `drain`.
    pub exit: Duration,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
}

impl Limits {
    /// The limits that suit most CLIs.
    pub const USUAL: Self = Self {
        handshake: Duration::from_secs(60),
        open: Duration::from_secs(120),
        control: Duration::from_secs(10),
        cancel: Duration::from_secs(7),
        mcp: Duration::from_secs(30),
        drain: Duration::from_secs(3),
        exit: Duration::from_secs(5),
        grace: Duration::from_secs(2),
    };
}
