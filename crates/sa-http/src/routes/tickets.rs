//! Tickets for streams.

use crate::handler::{ApiError, ApiResult, AppState, Json, OptionalJsonBody, Path, StatusCode, operation};
use crate::query::{is_stream_path, mismatch, quote, stream_paths};
use sa_api::{Ticket, TicketRequest};
use std::time::Duration;

/// Life of a ticket for one path, if its client does not say.
const USUAL_LIFE_MS: u64 = 60 * 60 * 1000;
/// The longest life of a ticket for one path.
const LONGEST_LIFE_MS: u64 = 24 * 60 * 60 * 1000;
/// The longest life of a ticket that opens any stream, once.
const LONGEST_SINGLE_USE_MS: u64 = 5 * 60 * 1000;

/// Create a ticket for a stream
///
/// For browsers, which cannot send headers when they open an `EventSource` or a WebSocket: put the ticket into the
/// URL as `?ticket=`. A ticket opens GET operations that have the parameter `ticket`, and nothing else. Without
/// `path` it works once, within 30 seconds. With `path` it works any number of times, for that path alone and for an
/// hour, so an `EventSource` may reconnect with it. All tickets end with the daemon; `DELETE /v1/tickets/{ticket}`
/// ends one earlier. Streams that are open stay open.
///
/// - body: The stream to open; any, once, by default
/// - 201: The ticket
/// - 400: `path` is not a stream's, or `lifetimeMs` is out of range
#[operation(issueTicket: post "/v1/tickets")]
pub(crate) async fn issue(
    state: AppState,
    OptionalJsonBody(TicketRequest { path, lifetime_ms }): OptionalJsonBody<TicketRequest>,
) -> ApiResult<(StatusCode, Json<Ticket>)> {
    if let Some(path) = path.as_deref().filter(|path| !is_stream_path(path)) {
        let expected = format!("the path of a stream ({})", stream_paths().join(", "));
        let wrong = mismatch(&expected, &format!("'{}'", quote(path)));
        return Err(ApiError::invalid(format!("member 'path': {wrong}")));
    }
    let single_use_ms = state.options.limits.ticket_ms;
    let (usual, most) = match path {
        Some(_) => (USUAL_LIFE_MS, LONGEST_LIFE_MS),
        None => (single_use_ms, LONGEST_SINGLE_USE_MS.max(single_use_ms)),
    };
    let life = lifetime_ms.unwrap_or(usual);
    if !(1..=most).contains(&life) {
        let which = if path.is_some() { "with" } else { "without" };
        let expected = format!("a number from 1 to {most} in a request {which} 'path'");
        let wrong = mismatch(&expected, &life.to_string());
        return Err(ApiError::invalid(format!("member 'lifetimeMs': {wrong}")));
    }
    Ok((StatusCode::CREATED, Json(state.tickets.issue(path, Duration::from_millis(life)))))
}

/// Revoke a ticket
///
/// The ticket opens nothing from now on. Revoking a ticket that does not exist succeeds, too. Streams that are open
/// stay open.
///
/// - 204: The ticket does not exist any more
/// - 400: The path is not UTF-8
#[operation(revokeTicket: delete "/v1/tickets/{ticket}")]
pub(crate) async fn revoke(state: AppState, Path(ticket): Path<String>) -> StatusCode {
    state.tickets.revoke(&ticket);
    StatusCode::NO_CONTENT
}
