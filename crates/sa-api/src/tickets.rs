//! Tickets for streams, where a browser cannot send headers.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for a ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TicketRequest {
    /// The path of the one stream that the ticket opens, without a query. With it the ticket opens that stream any number of
    /// times until it expires, as an `EventSource` that reconnects needs. Without it the ticket opens any one stream, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "/v1/sessions/my-session/events/sse")]
    pub path: Option<String>,
    /// Lifetime of the ticket in milliseconds. With `path` an hour by default and a day at most; without it 30 seconds by
    /// default and 5 minutes at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 86_400_000)]
    pub lifetime_ms: Option<u64>,
}

/// A ticket. It opens a stream as `?ticket=`, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// The ticket itself.
    pub ticket: String,
    /// The path of the one stream that the ticket opens; absent if it opens any stream, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
    /// Time at which the ticket expires. A stream that is open then stays open.
    pub expires_at: Timestamp,
}
