//! Tickets for streams, where a browser cannot send headers.

use crate::Timestamp;
use sa_api_macros::api;

/// A request for a ticket.
#[api(strict, Default, Eq)]
pub struct TicketRequest {
    /// The path of the one stream that the ticket opens, without a query. With it the ticket opens that stream any number of
    /// times until it expires, as an `EventSource` that reconnects needs. Without it the ticket opens any one stream, once.
    #[schema(example = "/v1/sessions/my-session/events/sse")]
    pub path: Option<String>,
    /// Lifetime of the ticket in milliseconds. With `path` an hour by default and a day at most; without it 30 seconds by
    /// default and 5 minutes at most.
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub lifetime_ms: Option<u64>,
}

/// A ticket. It opens a stream as `?ticket=`, and nothing else.
#[api(Eq)]
pub struct Ticket {
    /// The ticket itself.
    pub ticket: String,
    /// The path of the one stream that the ticket opens; absent if it opens any stream, once.
    pub path: Option<String>,
    /// Time at which the ticket expires. A stream that is open then stays open.
    pub expires_at: Timestamp,
}
