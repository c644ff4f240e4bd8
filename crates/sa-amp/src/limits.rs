//! How long is waited, and how much is kept.

use std::time::Duration;

/// Every bound that whoever runs the agent may want to change.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For the CLI to do something on the side: make a thread, tell what was said in one.
    pub errand: Duration,
    /// For the CLI to end by itself once its input is closed.
    pub farewell: Duration,
    /// Between SIGTERM and SIGKILL. The CLI stores the thread in between.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            errand: Duration::from_secs(60),
            farewell: Duration::from_secs(3),
            grace: Duration::from_secs(5),
        }
    }
}

/// How long the CLI may say nothing after a message of which it does not tell why it ended.
pub(crate) const LULL: Duration = Duration::from_secs(3);

/// What an errand may print, in bytes.
pub(crate) const MAX_PRINTED: usize = 64 << 20;
