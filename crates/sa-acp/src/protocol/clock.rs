//! The time that a state machine knows, and its form in ACP.

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
    let seconds = unix.as_secs();
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let (year, month, day) = civil(seconds / 86_400);
    let milliseconds = unix.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Returns year, month and day of a day counted from 1970-01-01 in the Gregorian calendar. Years are taken to begin in
/// March, so that the leap day is the last day of its year and all lengths before it are regular.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_PER_ERA: u64 = 146_097;
    let days = days + 719_468;
    let (era, day_of_era) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
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
