//! Waiting for MCP servers: the first prompt is held back until all of them are there or known not to be.

use crate::protocol::client::Client;
use agent_client_protocol_schema::v1::SessionId;
use std::collections::BTreeSet;
use std::time::Duration;

/// The time after which the client learns that a prompt is held back. Most servers answer sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// Servers that nothing was heard of yet, by name, and until when that is waited for.
#[derive(Debug, Default)]
pub struct McpWait {
    missing: BTreeSet<String>,
    give_up: Duration,
    report: Report,
}

/// The client's knowledge of the wait.
#[derive(Debug, Default)]
enum Report {
    /// No prompt is held back.
    #[default]
    Unneeded,
    /// A prompt is held back; the client learns of it at this time.
    Due(Duration),
    Done,
}

impl McpWait {
    /// Waits for these servers until then.
    pub fn new(missing: BTreeSet<String>, give_up: Duration) -> Self {
        Self { missing, give_up, report: Report::Unneeded }
    }

    /// Returns whether all were heard of.
    pub fn is_done(&self) -> bool {
        self.missing.is_empty()
    }

    /// The time at which [`McpWait::late`] or [`McpWait::to_report`] has something.
    pub fn deadline(&self) -> Option<Duration> {
        let report = match self.report {
            Report::Due(at) => at.min(self.give_up),
            Report::Unneeded | Report::Done => self.give_up,
        };
        (!self.is_done()).then_some(report)
    }

    /// Notes that a prompt is held back.
    pub fn hold(&mut self, now: Duration) {
        if matches!(self.report, Report::Unneeded) {
            self.report = Report::Due(now + PATIENCE);
        }
    }

    /// Returns the servers that a prompt waits for, once, when the client has to learn of them.
    pub fn to_report(&mut self, now: Duration) -> Option<Vec<String>> {
        let is_due = matches!(self.report, Report::Due(at) if at <= now) && !self.is_done();
        is_due.then(|| {
            self.report = Report::Done;
            self.missing.iter().cloned().collect()
        })
    }

    /// Notes that a server answered. Returns `false` if it was not waited for.
    pub fn heard_of(&mut self, name: &str) -> bool {
        self.missing.remove(name)
    }

    /// Waits for these from now on, and for no others.
    pub fn retain(&mut self, missing: impl IntoIterator<Item = String>) {
        self.missing = missing.into_iter().collect();
    }

    /// Those that are too late, which are waited for no longer; `None` if it is not time for that.
    pub fn late(&mut self, now: Duration) -> Option<BTreeSet<String>> {
        let is_over = !self.is_done() && self.give_up <= now;
        is_over.then(|| std::mem::take(&mut self.missing))
    }

    /// Reports a long wait to the client, and gives up on servers that are too late; returns whether it gave up.
    pub fn enforce(
        &mut self,
        client: &mut Client,
        session: &SessionId,
        now: Duration,
        limit: Duration,
    ) -> bool {
        if let Some(missing) = self.to_report(now) {
            client.mcp_waiting(session, missing.iter().map(String::as_str), limit);
        }
        let Some(missing) = self.late(now) else { return false };
        for name in missing {
            client.mcp_unavailable(session, &name, &format!("not ready after {} s", limit.as_secs()));
        }
        true
    }

    /// Stops waiting.
    pub fn give_up(&mut self) {
        self.missing.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_prompt_is_reported_once_and_only_if_the_wait_is_long() {
        let at = Duration::from_millis;
        let servers = || ["a".to_owned(), "b".to_owned()].into();
        let mut wait = McpWait::new(servers(), at(30_000));
        assert_eq!((wait.deadline(), wait.to_report(at(20_000))), (Some(at(30_000)), None), "nobody waits");
        wait.hold(at(5_000));
        wait.hold(at(5_900));
        assert_eq!((wait.deadline(), wait.to_report(at(5_999))), (Some(at(6_000)), None));
        assert!(wait.heard_of("a"));
        assert_eq!(wait.to_report(at(6_000)), Some(vec!["b".to_owned()]));
        wait.hold(at(6_001));
        assert_eq!((wait.deadline(), wait.to_report(at(29_000))), (Some(at(30_000)), None), "once");
        assert_eq!(wait.late(at(29_999)), None);
        assert_eq!(wait.late(at(30_000)), Some(["b".to_owned()].into()));
        let mut quick = McpWait::new(servers(), at(30_000));
        quick.hold(at(0));
        quick.give_up();
        assert_eq!((quick.deadline(), quick.to_report(at(2_000))), (None, None));
    }
}
