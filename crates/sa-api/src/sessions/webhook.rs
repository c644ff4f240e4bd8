//! Webhooks: events that are sent rather than fetched.

use super::{EventType, UniversalEvent};
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A webhook that receives the events of a session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Webhook {
    /// Address of the receiver, `http` or `https`.
    pub url: String,
    /// Key that signs deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1)]
    pub secret: Option<String>,
    /// Types of the events that are sent. Defaults to all but `messageDelta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<EventType>>, nullable = false)]
    pub events: Option<Vec<String>>,
}

/// Body of a delivery. Each event is delivered at least once, in the order of ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// Id of the session.
    pub session_id: String,
    /// Number of earlier attempts to deliver these events.
    pub attempt: u32,
    /// Events.
    pub events: Vec<UniversalEvent>,
}

/// Status of a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_error: Option<String>,
    /// Time of the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_attempt_at: Option<Timestamp>,
}

/// State of a webhook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WebhookState {
    /// Working, or not used yet.
    #[default]
    Active,
    /// Failing. Deliveries are retried.
    Failing,
    /// Disabled: the receiver answered that it is gone, or it failed for too long.
    Disabled,
}
