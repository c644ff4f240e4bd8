//! From what each source said to why the installation failed.

use crate::error::{Attempt, InstallError, SourceError};
use sa_agents::{AgentSpec, Platform};
use sa_api::InstallSource;

/// The reason why a source is given up.
#[derive(Debug)]
pub(super) enum Failure {
    /// The next source may do better.
    Source(SourceError),
    /// No source can help.
    Final(InstallError),
}

impl Failure {
    pub(super) fn is_full_disk(error: &SourceError) -> bool {
        matches!(error, SourceError::Disk(error) if error.is_full())
    }
}

/// The failures of the sources so far.
#[derive(Debug, Default)]
pub(super) struct Failures {
    attempts: Vec<Attempt>,
    no_build: usize,
    no_version: usize,
}

impl Failures {
    pub(super) fn add(&mut self, source: InstallSource, error: &SourceError) {
        match error {
            SourceError::NoBuild(_) => self.no_build += 1,
            SourceError::NoVersion { .. } => self.no_version += 1,
            _ => {}
        }
        let url = error.url().map(str::to_owned);
        self.attempts.push(Attempt { source, url, reason: error.to_string() });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.attempts.is_empty()
    }

    pub(super) fn sum(self, agent: &AgentSpec, platform: Platform, version: Option<&str>) -> InstallError {
        let (agent, attempts) = (agent.id.clone(), self.attempts);
        let all = |count: usize| count > 0 && count == attempts.len();
        match version {
            _ if all(self.no_build) => InstallError::NoBuild { agent, platform },
            Some(version) if self.no_version > 0 && all(self.no_build + self.no_version) => {
                InstallError::UnknownVersion { agent, version: version.to_owned(), attempts }
            }
            _ => InstallError::NoSource { agent, attempts },
        }
    }
}
