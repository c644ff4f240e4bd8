//! How long to wait after a failure, and how long failing has gone on.

use crate::WebhookLimits;
use sa_net::Backoff;
use std::time::Duration;

pub(crate) fn backoff(limits: &WebhookLimits) -> Backoff {
    Backoff { first: limits.first_pause, longest: limits.longest_pause }
}

/// Estimates how long deliveries have failed, from below. A restart forgets when failing began; the count is stored, so
/// restarts do not put off giving up forever.
pub(crate) fn time_spent(limits: &WebhookLimits, failures: u32) -> Duration {
    let backoff = backoff(limits);
    let mut spent = Duration::ZERO;
    for failure in 1..=failures {
        let pause = backoff.pause(failure);
        if pause >= limits.longest_pause {
            let left = failures - failure + 1;
            return spent.saturating_add(pause.saturating_mul(left));
        }
        spent = spent.saturating_add(pause);
    }
    spent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_tell_how_long_it_has_been() {
        let limits = WebhookLimits::default();
        assert_eq!(time_spent(&limits, 0), Duration::ZERO);
        assert_eq!(time_spent(&limits, 3), Duration::from_secs(1 + 2 + 4));
        assert_eq!(time_spent(&limits, 11), Duration::from_secs(511 + 2 * 300));
        assert!(time_spent(&limits, u32::MAX) > limits.give_up);
    }
}
