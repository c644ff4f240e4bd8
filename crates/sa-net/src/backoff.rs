//! How long to wait after a failure, by our own choice and by the other side's.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// Pauses between attempts: each twice as long as the one before, within limits.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// The pause after the first failure.
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// Returns the pause after so many failures in a row.
    pub fn pause(self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        self.first.saturating_mul(1 << doublings).min(self.longest)
    }

    /// Returns that pause, up to a quarter longer or shorter. Clients that failed together do not come back together.
    pub fn jittered_pause(self, failures: u32) -> Duration {
        self.spread_pause(failures, getrandom::u32().unwrap_or_default())
    }

    fn spread_pause(self, failures: u32, chance: u32) -> Duration {
        let factor = 0.75 + 0.5 * f64::from(chance) / f64::from(u32::MAX);
        self.pause(failures).mul_f64(factor).clamp(self.first, self.longest)
    }
}

/// Returns the pause that a response asks for, in seconds or until a date.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    requested_pause(headers.get(RETRY_AFTER)?.to_str().ok()?, SystemTime::now())
}

fn requested_pause(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(300) };

    #[test]
    fn pauses_double_within_their_limits() {
        for (failures, seconds) in [(1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (5000, 300)] {
            assert_eq!(BACKOFF.pause(failures), Duration::from_secs(seconds));
        }
        for failures in 1..40 {
            for chance in [0, u32::MAX / 2, u32::MAX] {
                let pause = BACKOFF.spread_pause(failures, chance);
                assert!(pause >= BACKOFF.first && pause <= BACKOFF.longest);
            }
        }
        assert!(BACKOFF.spread_pause(5, 0) < BACKOFF.spread_pause(5, u32::MAX));
    }

    #[test]
    fn others_ask_in_seconds_or_by_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(requested_pause(" 120 ", now), Some(Duration::from_secs(120)));
        assert_eq!(requested_pause("Sun, 06 Nov 1994 08:50:37 GMT", now), Some(Duration::from_secs(60)));
        assert_eq!(requested_pause("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(requested_pause("soon", now), None);
    }
}
