//! The time that a state machine knows, and its form in ACP.

use jiff::Timestamp;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The time of an event. State machines never read a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Now {
    /// Since the agent started; never goes back.
    pub elapsed: Duration,
    /// Since 1970-01-01T00:00:00Z.
    pub unix: Duration,
}

/// Formats the moment `unix` after the epoch as RFC 3339, in UTC with milliseconds.
pub fn timestamp(unix: Duration) -> String {
    let milliseconds = i64::try_from(unix.as_millis()).unwrap_or(i64::MAX);
    format!("{:.3}", Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::MAX))
}

/// Waits until this time, or forever without one.
pub async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_rfc_3339() {
        let at = |seconds| timestamp(Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
        assert_eq!(timestamp(Duration::from_millis(1_794_777_600_007)), "2026-11-15T21:20:00.007Z");
    }
}
