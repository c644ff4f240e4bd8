//! The time, as events and records say it.

use sa_files::Moment;
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The same as text, always with milliseconds, so that texts sort as times do.
pub(crate) fn rfc3339(ms: u64) -> String {
    let seconds = i64::try_from(ms / 1000).unwrap_or(i64::MAX);
    let whole = Moment { seconds, nanoseconds: 0 }.rfc3339();
    format!("{}.{:03}Z", whole.trim_end_matches('Z'), ms % 1000)
}
