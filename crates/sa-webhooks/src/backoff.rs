//! How long to wait after a failure: twice as long each time, never the same for two who fail together.

use crate::WebhookLimits;
use std::time::Duration;

/// The pause after the `failures`-th failure in a row, without chance.
fn nominal(limits: &WebhookLimits, failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(31);
    limits.first_pause.saturating_mul(1 << doublings).min(limits.longest_pause)
}

/// The pause after the `failures`-th failure in a row: up to a quarter more or less, within the limits.
/// `chance` is any number.
pub(crate) fn pause(limits: &WebhookLimits, failures: u32, chance: u32) -> Duration {
    let factor = 0.75 + 0.5 * f64::from(chance) / f64::from(u32::MAX);
    nominal(limits, failures).mul_f64(factor).clamp(limits.first_pause, limits.longest_pause)
}

/// How long somebody who failed so often has been at it, at least about. A restart forgets when failing began; this does
/// not, so that restarting does not put off giving up for ever.
pub(crate) fn time_spent(limits: &WebhookLimits, failures: u32) -> Duration {
    let mut spent = Duration::ZERO;
    for failure in 1..=failures {
        let pause = nominal(limits, failure);
        if pause >= limits.longest_pause {
            let left = failures - failure + 1;
            return spent.saturating_add(pause.saturating_mul(left));
        }
        spent = spent.saturating_add(pause);
    }
    spent
}

/// What a receiver asks for in `Retry-After`: seconds, or a date.
pub(crate) fn asked_pause(header: &str, now: std::time::SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn pauses_double_within_their_limits() {
        let limits = WebhookLimits::default();
        let middle = u32::MAX / 2;
        for (failures, seconds) in [(1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (5000, 300)] {
            let about = pause(&limits, failures, middle).as_secs_f64();
            assert!((about - f64::from(seconds)).abs() < 0.01, "{failures}: {about}");
        }
        for failures in 1..40 {
            for chance in [0, middle, u32::MAX] {
                let pause = pause(&limits, failures, chance);
                assert!(pause >= limits.first_pause && pause <= limits.longest_pause);
            }
        }
        assert!(pause(&limits, 5, 0) < pause(&limits, 5, u32::MAX));
    }

    #[test]
    fn failures_tell_how_long_it_has_been() {
        let limits = WebhookLimits::default();
        assert_eq!(time_spent(&limits, 0), Duration::ZERO);
        assert_eq!(time_spent(&limits, 3), Duration::from_secs(1 + 2 + 4));
        assert_eq!(time_spent(&limits, 11), Duration::from_secs(511 + 2 * 300));
        assert!(time_spent(&limits, u32::MAX) > limits.give_up);
    }

    #[test]
    fn receivers_ask_in_seconds_or_by_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(asked_pause(" 120 ", now), Some(Duration::from_secs(120)));
        assert_eq!(asked_pause("Sun, 06 Nov 1994 08:50:37 GMT", now), Some(Duration::from_secs(60)));
        assert_eq!(asked_pause("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(asked_pause("soon", now), None);
    }
}
