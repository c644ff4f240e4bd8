//! Every bound of this crate.

use std::time::Duration;

/// Sizes, timeouts and retries of deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookLimits {
    /// The most events of a delivery.
    pub batch_events: usize,
    /// The most bytes of a delivery. A longer event is sent alone.
    pub batch_bytes: usize,
    /// Time that events are gathered after the first one, so that they are sent together.
    pub gather: Duration,
    /// Timeout for the receiver's answer.
    pub request_timeout: Duration,
    /// The most bytes that are read of an answer.
    pub answer_bytes: usize,
    /// The pause after the first failure; it doubles with each further one.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// The longest pause that a receiver can ask for.
    pub longest_retry_after: Duration,
    /// After failing for so long without a success, the webhook is disabled.
    pub give_up: Duration,
}

impl Default for WebhookLimits {
    fn default() -> Self {
        Self {
            batch_events: 100,
            batch_bytes: 256 * 1024,
            gather: Duration::from_millis(100),
            request_timeout: Duration::from_secs(10),
            answer_bytes: 64 * 1024,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(5 * 60),
            longest_retry_after: Duration::from_secs(60 * 60),
            give_up: Duration::from_secs(72 * 60 * 60),
        }
    }
}

/// Progress over events of no interest is stored when it is this large: to read them once more costs less than to write
/// after each.
pub(crate) const UNSTORED_EVENTS: u64 = 1000;

/// Bytes of the members around a delivery's events, without the session's id.
pub(crate) const ENVELOPE_BYTES: usize = 64;
