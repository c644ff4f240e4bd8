//! Everything that came from an agent, in order, and waiting for more of it.

use anyhow::{Result, bail};
use parking_lot::Mutex;
use sa_testkit::DEADLINE;
use serde_json::Value;
use std::fmt::Write as _;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// One thing that came.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// A JSON-RPC message of the agent.
    Message(Value),
    /// A report of the daemon about the agent, such as its exit.
    Fact { name: String, data: Value },
}

impl Entry {
    pub(crate) fn message(&self) -> Option<&Value> {
        match self {
            Self::Message(message) => Some(message),
            Self::Fact { .. } => None,
        }
    }
}

/// The number of last entries that an error shows, and the length of each.
const SHOWN: (usize, usize) = (25, 400);

/// A log of what happened, in order.
#[derive(Debug)]
pub(crate) struct Log {
    entries: Mutex<Vec<Entry>>,
    /// Violations of the protocol, for people.
    faults: Mutex<Vec<String>>,
    changed: watch::Sender<u64>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { entries: Mutex::default(), faults: Mutex::default(), changed: watch::Sender::new(0) }
    }

    pub(crate) fn push(&self, entry: Entry) {
        self.entries.lock().push(entry);
        self.changed.send_modify(|count| *count += 1);
    }

    /// Forgets what came so far.
    pub(crate) fn clear(&self) {
        self.entries.lock().clear();
    }

    /// Notes that the agent, or the way to it, broke the rules. Every wait fails from now on.
    pub(crate) fn blame(&self, fault: String) {
        self.faults.lock().push(fault);
        self.changed.send_modify(|count| *count += 1);
    }

    /// Fails if the rules were broken.
    pub(crate) fn check(&self) -> Result<()> {
        let faults = self.faults.lock();
        if faults.is_empty() { Ok(()) } else { bail!("{}", faults.join("\n")) }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// Returns the entries from this position on.
    pub(crate) fn since(&self, start: usize) -> Vec<Entry> {
        self.entries.lock().get(start..).unwrap_or_default().to_vec()
    }

    /// Waits until `look` finds what it looks for in the entries from `start` on.
    pub(crate) async fn find<T>(
        &self,
        what: &str,
        start: usize,
        mut look: impl FnMut(&[Entry]) -> Option<T>,
    ) -> Result<T> {
        let mut changed = self.changed.subscribe();
        let deadline = Instant::now() + DEADLINE;
        loop {
            changed.mark_unchanged();
            if let Some(found) = look(self.entries.lock().get(start..).unwrap_or_default()) {
                self.check()?;
                return Ok(found);
            }
            self.check()?;
            if timeout_at(deadline, changed.changed()).await.is_err() {
                bail!("waited {DEADLINE:?} for {what}");
            }
        }
    }

    /// Returns the last entries from a position on, in words.
    pub(crate) fn tail(&self, start: usize) -> String {
        let entries = self.since(start);
        let mut text = String::new();
        for entry in entries.iter().skip(entries.len().saturating_sub(SHOWN.0)) {
            let line = match entry {
                Entry::Message(message) => message.to_string(),
                Entry::Fact { name, data } => format!("({name}) {data}"),
            };
            let line: String = line.chars().take(SHOWN.1).collect();
            let _written = writeln!(text, "  {line}");
        }
        text
    }
}
