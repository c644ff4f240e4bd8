//! An installation that runs: its steps, how far it has come, and how it ended. Any number may watch; none is waited for.

use super::Installed;
use crate::error::InstallError;
use sa_api::InstallEvent;
use std::mem::discriminant;
use tokio::sync::watch;

/// The state that observers see. Steps are few: counts replace each other.
#[derive(Debug, Default)]
pub(super) struct JobState {
    steps: Vec<InstallEvent>,
    outcome: Option<Result<Installed, InstallError>>,
}

/// Reports progress to observers.
#[derive(Debug)]
pub(super) struct Reporter {
    state: watch::Sender<JobState>,
}

impl Reporter {
    pub(super) fn new(agent: &str) -> (Self, Job) {
        let (sender, receiver) = watch::channel(JobState::default());
        (Self { state: sender }, Job { agent: agent.to_owned(), state: receiver, reported: 0, last: None })
    }

    pub(super) fn report(&self, progress: InstallEvent) {
        self.state.send_modify(|state| match state.steps.last_mut() {
            Some(last) if is_count_of_same(last, &progress) => *last = progress,
            _ => state.steps.push(progress),
        });
    }

    pub(super) fn finish(&self, outcome: Result<Installed, InstallError>) {
        self.state.send_modify(|state| state.outcome = Some(outcome));
    }
}

/// Returns whether `next` only updates the count of `last`.
fn is_count_of_same(last: &InstallEvent, next: &InstallEvent) -> bool {
    match (last, next) {
        (InstallEvent::Downloading { url: a, .. }, InstallEvent::Downloading { url: b, .. }) => a == b,
        (InstallEvent::Unpacking { .. }, InstallEvent::Unpacking { .. }) => true,
        _ => discriminant(last) == discriminant(next) && last == next,
    }
}

/// A running installation. It continues when this is dropped.
#[derive(Debug, Clone)]
pub struct Job {
    agent: String,
    state: watch::Receiver<JobState>,
    /// The number of reported steps, and the last of them.
    reported: usize,
    last: Option<InstallEvent>,
}

impl Job {
    /// Returns the next step, or the newest count of the last one. Completed steps are reported too, counts in
    /// between are not. None at the end.
    pub async fn next(&mut self) -> Option<InstallEvent> {
        loop {
            {
                let state = self.state.borrow_and_update();
                let current = self.reported.checked_sub(1).and_then(|at| state.steps.get(at));
                if current != self.last.as_ref() {
                    self.last = current.cloned();
                    return self.last.clone();
                }
                if let Some(step) = state.steps.get(self.reported) {
                    self.reported += 1;
                    self.last = Some(step.clone());
                    return self.last.clone();
                }
                if state.outcome.is_some() {
                    return None;
                }
            }
            // The sender is gone without an outcome only if the installation was torn down.
            self.state.changed().await.ok()?;
        }
    }

    pub async fn outcome(&mut self) -> Result<Installed, InstallError> {
        let ended = self.state.wait_for(|state| state.outcome.is_some()).await;
        let outcome = ended.ok().and_then(|state| state.outcome.clone());
        outcome.unwrap_or_else(|| Err(InstallError::Interrupted(self.agent.clone())))
    }

    pub(super) fn is_running(&self) -> bool {
        self.state.has_changed().is_ok() && self.state.borrow().outcome.is_none()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn downloading(received: u64) -> InstallEvent {
        InstallEvent::Downloading { url: "u".to_owned(), received, total: Some(9) }
    }

    #[tokio::test]
    async fn a_slow_watcher_gets_every_step_but_only_the_last_count() {
        let (reporter, mut job) = Reporter::new("x");
        reporter.report(InstallEvent::Waiting);
        (0..=5).for_each(|received| reporter.report(downloading(received)));
        assert_eq!(job.next().await, Some(InstallEvent::Waiting));
        assert_eq!(job.next().await, Some(downloading(5)));
        (6..=9).for_each(|received| reporter.report(downloading(received)));
        reporter.report(InstallEvent::Verifying);
        reporter.finish(Err(InstallError::NotInstallable { agent: "x".to_owned(), program: None }));
        assert_eq!(job.next().await, Some(downloading(9)));
        assert_eq!(job.next().await, Some(InstallEvent::Verifying));
        assert_eq!(job.next().await, None);
        assert!(matches!(job.outcome().await, Err(InstallError::NotInstallable { .. })));
    }

    #[tokio::test]
    async fn a_job_that_is_torn_down_ends() {
        let (reporter, mut job) = Reporter::new("x");
        drop(reporter);
        assert_eq!(job.next().await, None);
        assert!(matches!(job.outcome().await, Err(InstallError::Interrupted(agent)) if agent == "x"));
    }
}
