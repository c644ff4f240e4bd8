//! Waiting for MCP servers: the first prompt is held back until all of them are there or known not to be.

use std::collections::BTreeSet;
use std::time::Duration;

/// Servers that nothing was heard of yet, by name, and until when that is waited for.
#[derive(Debug, Default)]
pub struct McpWait {
    missing: BTreeSet<String>,
    give_up: Duration,
}

impl McpWait {
    /// For these until then.
    pub fn new(missing: BTreeSet<String>, give_up: Duration) -> Self {
        Self { missing, give_up }
    }

    /// Whether all were heard of.
    pub fn is_done(&self) -> bool {
        self.missing.is_empty()
    }

    /// When waiting is over.
    pub fn deadline(&self) -> Option<Duration> {
        (!self.is_done()).then_some(self.give_up)
    }

    /// One was heard of; `false` if it was not waited for.
    pub fn heard_of(&mut self, name: &str) -> bool {
        self.missing.remove(name)
    }

    /// Those that are too late, which are waited for no longer; `None` if it is not time for that.
    pub fn late(&mut self, now: Duration) -> Option<BTreeSet<String>> {
        let is_over = self.deadline().is_some_and(|give_up| give_up <= now);
        is_over.then(|| std::mem::take(&mut self.missing))
    }

    /// Waits no longer.
    pub fn give_up(&mut self) {
        self.missing.clear();
    }
}
