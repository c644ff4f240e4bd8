//! Webhooks: events that are sent rather than fetched.

use super::{EventType, UniversalEvent};
use crate::Timestamp;
use sa_api_macros::api;

/// A webhook that receives the events of a session.
#[api(strict, secret, Eq)]
pub struct Webhook {
    /// Address of the receiver, `http` or `https`.
    pub url: String,
    /// Key that signs deliveries.
    #[schema(min_length = 1)]
    pub secret: Option<String>,
    /// Types of the events that are sent. Defaults to all but `messageDelta`.
    #[schema(value_type = Option<Vec<EventType>>)]
    pub events: Option<Vec<String>>,
}

/// Body of a delivery. Each event is delivered at least once, in the order of ids.
#[api]
pub struct WebhookDelivery {
    /// Id of the session.
    pub session_id: String,
    /// Number of earlier attempts to deliver these events.
    pub attempt: u32,
    /// Events.
    pub events: Vec<UniversalEvent>,
}

/// Status of a webhook.
#[api(Default, Eq)]
pub struct WebhookStatus {
    /// Address of the receiver, without parts that may be secret.
    pub url: String,
    /// State of the webhook.
    pub state: WebhookState,
    /// Id of the last event that was delivered or filtered out.
    pub delivered_event_id: u64,
    /// Number of failures since the last success.
    pub failures: u32,
    /// Reason of the last failure.
    pub last_error: Option<String>,
    /// Time of the next attempt.
    pub next_attempt_at: Option<Timestamp>,
}

/// State of a webhook.
#[api(Default)]
pub enum WebhookState {
    /// Working, or not used yet.
    #[default]
    Active,
    /// Failing. Deliveries are retried.
    Failing,
    /// Disabled: the receiver answered that it is gone, or it failed for too long.
    Disabled,
}
