//! Which failures are worth another attempt, and when.

use crate::error::SourceError;
use crate::limits::{ATTEMPTS, CONNECT_ATTEMPTS, LONGEST_PAUSE};
use sa_net::Backoff;
use std::time::Duration;

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: SourceError,
    pub(super) remedy: Remedy,
}

/// A remedy for a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// No remedy: the same request fails again.
    None,
    /// Another attempt, but not many: the host may be out of reach.
    Reconnect,
    /// Another attempt, at the earliest after what the host asked for.
    Retry(Option<Duration>),
}

impl Failure {
    pub(super) fn fatal(error: SourceError) -> Self {
        Self { error, remedy: Remedy::None }
    }

    /// Returns the pause before the next attempt, after `failed` attempts in a row; none if there should be no other.
    pub(super) fn pause(&self, failed: u32, first_pause: Duration) -> Option<Duration> {
        let (attempts, asked) = match self.remedy {
            Remedy::None => return None,
            Remedy::Reconnect => (CONNECT_ATTEMPTS, None),
            Remedy::Retry(asked) => (ATTEMPTS, asked),
        };
        let own = Backoff { first: first_pause, longest: LONGEST_PAUSE }.pause(failed);
        (failed < attempts).then(|| asked.unwrap_or(own).max(own).min(LONGEST_PAUSE))
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::fatal(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(remedy: Remedy) -> Vec<Option<u128>> {
        let failure = Failure { error: SourceError::Missing(String::new()), remedy };
        let pause = |failed| failure.pause(failed, Duration::from_millis(100)).map(|pause| pause.as_millis());
        (1..=4).map(pause).collect()
    }

    #[test]
    fn attempts_are_few_and_pauses_grow() {
        assert_eq!(pauses(Remedy::Retry(None)), [Some(100), Some(200), Some(400), None]);
        assert_eq!(pauses(Remedy::Reconnect), [Some(100), None, None, None]);
        assert_eq!(pauses(Remedy::None), [None; 4]);
        let asked = Remedy::Retry(Some(Duration::from_secs(3600)));
        assert_eq!(pauses(asked), [Some(10_000), Some(10_000), Some(10_000), None]);
    }
}
