//! The time, as records keep it.

use sa_api::Timestamp;

/// Returns the milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    Timestamp::now().as_millis()
}
