//! Messages for the agent, and taking them back.

use super::event_query::FilterQuery;
use super::events::{self, Selection, TurnEnd};
use super::{idempotency_key, whole};
use crate::handler::{
    AcceptsEvents, ApiResult, AppState, HeaderMap, HeaderValue, Json, JsonBody, Path, Response, StatusCode,
    operation,
};
use sa_api::sessions::{CancelResult, MessageAccepted, PostMessage, QueueOrder, Session, UniversalEvent};
use sa_otlp::TraceContext;
use sa_sessions::SessionHandle;

/// Send a message
///
/// The message is stored, and given to the agent when its turn has come: at once, after the turn that runs and the
/// messages before it (`queue`), or instead of the turn that runs (`interrupt`). The events report what the agent
/// does. The same message again under the same `Idempotency-Key` is accepted once, and answered in the same way.
///
/// - body: The message
/// - `Idempotency-Key`: Names the message, so that it can be sent again without being doubled; 1 to 255 characters
/// - `traceparent`: W3C trace context; the turn's span becomes a child of this one, and the agent gets it
/// - 202: It is stored
/// - 400: The body is no message, or the key is not one
/// - 409: The session has ended (`details.what` is `ended`), or the key was used for another message (`keyReused`)
/// - 429: Too many messages are queued
#[operation(postMessage: post "/v1/sessions/{sessionId}/messages")]
pub(crate) async fn post(
    session: SessionHandle,
    headers: HeaderMap,
    JsonBody(message): JsonBody<PostMessage>,
) -> ApiResult<(StatusCode, Json<MessageAccepted>)> {
    Ok((StatusCode::ACCEPTED, Json(post_message(&session, &headers, message).await?)))
}

/// Send a message and stream its turn
///
/// As `postMessage`, but the answer is a stream of events, from the message itself to the `turnEnded` of its turn, or
/// to its `messageWithdrawn`; then the stream ends, also if `types` leaves that out. Questions and permissions are
/// answered meanwhile by other requests. After a disconnect, continue at `events/sse` with the last id it has seen;
/// the turn does not need it. `gap` means that the events are no longer kept; it ends this stream.
///
/// - body: The message
/// - `Idempotency-Key`: Names the message, so that it can be sent again without being doubled; 1 to 255 characters
/// - `traceparent`: W3C trace context; the turn's span becomes a child of this one, and the agent gets it
/// - 200: The stream
/// - 400: The body is no message, or the key is not one
/// - 409: The session has ended (`details.what` is `ended`), or the key was used for another message (`keyReused`)
/// - 429: Too many messages are queued
#[operation(postMessageStream: post "/v1/sessions/{sessionId}/messages/stream" -> UniversalEvent as "text/event-stream")]
pub(crate) async fn post_stream(
    state: AppState,
    _: AcceptsEvents,
    session: SessionHandle,
    headers: HeaderMap,
    selected: FilterQuery,
    JsonBody(message): JsonBody<PostMessage>,
) -> ApiResult<Response> {
    let filter = selected.filter()?;
    let accepted = post_message(&session, &headers, message).await?;
    let after = accepted.event_id.saturating_sub(1);
    let selection = Selection { filter, until: Some(TurnEnd::of(accepted.turn_id)) };
    Ok(events::respond(&state, &session, after, selection))
}

/// The trace that a request belongs to. A malformed one is none, as the specification wants.
fn trace_of(headers: &HeaderMap) -> Option<TraceContext> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    TraceContext::parse(text("traceparent")?, text("tracestate"))
}

async fn post_message(
    session: &SessionHandle,
    headers: &HeaderMap,
    message: PostMessage,
) -> ApiResult<MessageAccepted> {
    let key = idempotency_key(headers)?;
    let (session, trace) = (session.clone(), trace_of(headers));
    whole(async move { session.post(message, key, trace).await }).await
}

/// Withdraw a message that waits
///
/// Takes one message out of the queue; `messageWithdrawn` reports it. Withdrawing a message that does not wait
/// succeeds, too, unless its turn has begun: `cancel` stops a running turn.
///
/// - 204: The message does not wait any more and will not begin
/// - 400: An id is not UTF-8
/// - 409: The message's turn has begun; `details.what` is `begun`
#[operation(withdrawMessage: delete "/v1/sessions/{sessionId}/messages/{messageId}")]
pub(crate) async fn withdraw(
    session: SessionHandle,
    Path((_, message)): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    whole(async move { session.withdraw(&message).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reorder the messages that wait
///
/// Gives the listed messages each other's places in the queue, so that they begin in this order; other messages keep
/// their places. Messages that do not wait are ignored, so a message that begins meanwhile is no error.
/// `queueReordered` reports the new order.
///
/// - body: The order
/// - 200: The session with its new `queue`
/// - 400: The body is no order, or it names a message twice
/// - 409: The session has ended; `details.what` is `ended`
#[operation(reorderQueue: put "/v1/sessions/{sessionId}/queue")]
pub(crate) async fn reorder(
    session: SessionHandle,
    JsonBody(order): JsonBody<QueueOrder>,
) -> ApiResult<Json<Session>> {
    Ok(Json(whole(async move { session.reorder(order).await }).await?))
}

/// Cancel the running turn
///
/// Asks the agent to stop, withdraws the messages that wait, and ends open questions and permissions. `turnEnded`
/// with the reason `cancelled` reports the turn's end, `messageWithdrawn` each message. Where nothing runs, nothing
/// happens.
///
/// - 200: The turn and the messages that are being cancelled
/// - 409: The session has ended; `details.what` is `ended`
#[operation(cancelTurn: post "/v1/sessions/{sessionId}/cancel")]
pub(crate) async fn cancel(session: SessionHandle) -> ApiResult<Json<CancelResult>> {
    Ok(Json(whole(async move { session.cancel().await }).await?))
}
