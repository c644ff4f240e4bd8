//! Webhooks: events that are sent rather than fetched.

use super::{EventType, UniversalEvent};
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a session's events are sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Webhook {
    /// The address, `http` or `https`.
    pub url: String,
    /// The key that deliveries are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1)]
    pub secret: Option<String>,
    /// Types of the events that are sent. Defaults to all but `messageDelta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<EventType>>, nullable = false)]
    pub events: Option<Vec<String>>,
}

/// The body of a delivery. Each event comes at least once, in the order of ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// The session.
    pub session_id: String,
    /// How often this delivery was tried before.
    pub attempt: u32,
    /// The events.
    pub events: Vec<UniversalEvent>,
}

/// How a webhook stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookStatus {
    /// The address, without what may be secret in it.
    pub url: String,
    /// In short.
    pub state: WebhookState,
    /// Everything up to this event was delivered, or was of no interest.
    pub delivered_event_id: u64,
    /// How often delivering has failed since it last worked.
    pub failures: u32,
    /// Why it failed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_error: Option<String>,
    /// When it is tried next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_attempt_at: Option<Timestamp>,
}

/// How a webhook stands, in short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WebhookState {
    /// It works, or has not been needed yet.
    #[default]
    Active,
    /// It fails and is tried again.
    Failing,
    /// The receiver said that it is gone, or it failed for too long.
    Disabled,
}
