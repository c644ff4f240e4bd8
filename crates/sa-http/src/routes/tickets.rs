//! Tickets for WebSockets.

use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use sa_api::Ticket;
use std::time::Duration;

/// A ticket for one WebSocket.
#[utoipa::path(
    post, path = "/v1/tickets", operation_id = "issueTicket", tag = "meta",
    summary = "A ticket for one WebSocket",
    description = "For browsers, which cannot send headers when they open a WebSocket: put the ticket into its address as `?ticket=`. \
        It works once, for half a minute, and keeps the token out of addresses and logs.",
    responses((status = 200, description = "The ticket", body = Ticket))
)]
pub(crate) async fn issue(State(state): State<AppState>) -> Json<Ticket> {
    Json(state.tickets.issue(Duration::from_millis(state.hub.limits().ticket_ms)))
}
