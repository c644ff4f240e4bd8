//! Single-use tickets for WebSockets, where a browser cannot send headers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A ticket: opens one WebSocket, once, as `?ticket=`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// The ticket.
    pub ticket: String,
    /// When it expires, in milliseconds since 1970.
    pub expires_at_ms: u64,
}
