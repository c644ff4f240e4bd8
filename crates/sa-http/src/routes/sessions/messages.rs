//! Messages for the agent, and taking them back.

use super::event_query::EventQuery;
use super::events::{self, Selection, TurnEnd};
use super::{Id, find, idempotency_key, whole};
use crate::body::JsonBody;
use crate::negotiate::{Media, check_accept};
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode};
use sa_api::sessions::{
    CancelResult, EventType, MessageAccepted, PostMessage, QueueOrder, Session, UniversalEvent,
};
use sa_otlp::TraceContext;
use sa_sessions::SessionHandle;

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/messages", operation_id = "postMessage", tag = "sessions",
    summary = "Send a message",
    description = "The message is stored, and given to the agent when its turn has come: at once, after the turn that runs and the messages \
        before it (`queue`), or instead of the turn that runs (`interrupt`). The events report what the agent does. The same message again \
        under the same `Idempotency-Key` is accepted once, and answered in the same way.",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Names the message, so that it can be sent again without being doubled; 1 to 255 characters"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context; the turn's span becomes a child of this one, and the agent gets it"),
    ),
    request_body(content = PostMessage, content_type = "application/json", description = "The message"),
    responses(
        (status = 202, description = "It is stored", body = MessageAccepted),
        (status = 400, description = "The body is no message, or the key is not one"),
        (status = 409, description = "The session has ended (`details.what` is `ended`), or the key was used for another message (`keyReused`)"),
        (status = 429, description = "Too many messages are queued"),
    )
)]
pub(crate) async fn post(
    State(state): State<AppState>,
    id: Id,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<(StatusCode, Json<MessageAccepted>)> {
    let session = find(&state, id).await?;
    Ok((StatusCode::ACCEPTED, Json(accept(&session, &headers, body).await?)))
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/messages/stream", operation_id = "postMessageStream", tag = "sessions",
    summary = "Send a message and stream its turn",
    description = "As `postMessage`, but the answer is a stream of events, from the message itself to the `turnEnded` of its turn, or to its \
        `messageWithdrawn`; then the stream ends, also if `types` leaves that out. Questions and permissions are answered meanwhile by other requests. After a disconnect, continue at \
        `events/sse` with the last id it has seen; the turn does not need it. `gap` means that the events are no longer kept; it ends \
        this stream.",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Names the message, so that it can be sent again without being doubled; 1 to 255 characters"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context; the turn's span becomes a child of this one, and the agent gets it"),
        ("types" = Option<Vec<EventType>>, Query, description = "Types to select, separated by commas or repeated; all by default"),
        ("deltas" = Option<bool>, Query, description = "`false` leaves out `messageDelta`; the whole message follows as `message`"),
    ),
    request_body(content = PostMessage, content_type = "application/json", description = "The message"),
    responses(
        (status = 200, description = "The stream", content((UniversalEvent = "text/event-stream"))),
        (status = 400, description = "The body is no message, or the key is not one"),
        (status = 409, description = "The session has ended (`details.what` is `ended`), or the key was used for another message (`keyReused`)"),
        (status = 429, description = "Too many messages are queued"),
    )
)]
pub(crate) async fn post_stream(
    State(state): State<AppState>,
    id: Id,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    check_accept(&headers, Media::EventStream)?;
    let session = find(&state, id).await?;
    let filter = EventQuery::read(query.as_deref())?.filter()?;
    let accepted = accept(&session, &headers, body).await?;
    let after = accepted.event_id.saturating_sub(1);
    let selection = Selection { filter, until: Some(TurnEnd::of(accepted.turn_id)) };
    Ok(events::respond(&state, &session, after, selection))
}

/// The trace that a request belongs to. A malformed one is none, as the specification wants.
fn trace_of(headers: &HeaderMap) -> Option<TraceContext> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    TraceContext::parse(text("traceparent")?, text("tracestate"))
}

async fn accept(session: &SessionHandle, headers: &HeaderMap, body: JsonBody) -> ApiResult<MessageAccepted> {
    let message: PostMessage = body.read().await?;
    let key = idempotency_key(headers)?;
    let (session, trace) = (session.clone(), trace_of(headers));
    whole(async move { session.post(message, key, trace).await }).await
}

#[utoipa::path(
    delete, path = "/v1/sessions/{sessionId}/messages/{messageId}", operation_id = "withdrawMessage", tag = "sessions",
    summary = "Withdraw a message that waits",
    description = "Takes one message out of the queue; `messageWithdrawn` reports it. Withdrawing a message that does not wait succeeds, too, \
        unless its turn has begun: `cancel` stops a running turn.",
    responses(
        (status = 204, description = "The message does not wait any more and will not begin"),
        (status = 400, description = "An id is not UTF-8"),
        (status = 409, description = "The message's turn has begun; `details.what` is `begun`"),
    )
)]
pub(crate) async fn withdraw(
    State(state): State<AppState>,
    ids: Result<Path<(String, String)>, PathRejection>,
) -> ApiResult<StatusCode> {
    let Path((id, message)) = ids?;
    let session = find(&state, Ok(Path(id))).await?;
    whole(async move { session.withdraw(&message).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(
    put, path = "/v1/sessions/{sessionId}/queue", operation_id = "reorderQueue", tag = "sessions",
    summary = "Reorder the messages that wait",
    description = "Gives the listed messages each other's places in the queue, so that they begin in this order; other messages keep \
        their places. Messages that do not wait are ignored, so a message that begins meanwhile is no error. `queueReordered` reports \
        the new order.",
    request_body(content = QueueOrder, content_type = "application/json", description = "The order"),
    responses(
        (status = 200, description = "The session with its new `queue`", body = Session),
        (status = 400, description = "The body is no order, or it names a message twice"),
        (status = 409, description = "The session has ended; `details.what` is `ended`"),
    )
)]
pub(crate) async fn reorder(
    State(state): State<AppState>,
    id: Id,
    body: JsonBody,
) -> ApiResult<Json<Session>> {
    let session = find(&state, id).await?;
    let order: QueueOrder = body.read().await?;
    Ok(Json(whole(async move { session.reorder(order).await }).await?))
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/cancel", operation_id = "cancelTurn", tag = "sessions",
    summary = "Cancel the running turn",
    description = "Asks the agent to stop, withdraws the messages that wait, and ends open questions and permissions. `turnEnded` with the \
        reason `cancelled` reports the turn's end, `messageWithdrawn` each message. Where nothing runs, nothing happens.",
    responses(
        (status = 200, description = "The turn and the messages that are being cancelled", body = CancelResult),
        (status = 409, description = "The session has ended; `details.what` is `ended`"),
    )
)]
pub(crate) async fn cancel(State(state): State<AppState>, id: Id) -> ApiResult<Json<CancelResult>> {
    let session = find(&state, id).await?;
    Ok(Json(whole(async move { session.cancel().await }).await?))
}
