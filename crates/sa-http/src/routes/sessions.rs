//! `/v1/sessions`: universal sessions, the same for every agent.

mod decisions;
mod event_query;
mod events;
mod lifecycle;
mod listing;
mod messages;
mod transcript;
mod transfer;

use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::routing::{delete, get, post, put};
use http::HeaderMap;
use sa_api::ErrorCode;
use sa_sessions::{SessionError, SessionHandle};
use std::future::Future;
use utoipa::OpenApi;

/// The routes of this area.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/sessions", get(listing::list).post(lifecycle::create_minted))
        .route("/v1/sessions/import", post(transfer::import))
        .route(
            "/v1/sessions/{sessionId}",
            get(lifecycle::get).post(lifecycle::create).patch(lifecycle::patch).delete(lifecycle::delete),
        )
        .route("/v1/sessions/{sessionId}/terminate", post(lifecycle::terminate))
        .route("/v1/sessions/{sessionId}/resume", post(lifecycle::resume))
        .route("/v1/sessions/{sessionId}/fork", post(lifecycle::fork))
        .route("/v1/sessions/{sessionId}/messages", get(transcript::page).post(messages::post))
        .route("/v1/sessions/{sessionId}/messages/stream", post(messages::post_stream))
        .route("/v1/sessions/{sessionId}/messages/{messageId}", delete(messages::withdraw))
        .route("/v1/sessions/{sessionId}/queue", put(messages::reorder))
        .route("/v1/sessions/{sessionId}/cancel", post(messages::cancel))
        .route("/v1/sessions/{sessionId}/events", get(events::page))
        .route("/v1/sessions/{sessionId}/events/sse", get(events::stream))
        .route("/v1/sessions/{sessionId}/questions/{questionId}/reply", post(decisions::reply_to_question))
        .route("/v1/sessions/{sessionId}/questions/{questionId}/reject", post(decisions::reject_question))
        .route(
            "/v1/sessions/{sessionId}/permissions/{permissionId}/reply",
            post(decisions::reply_to_permission),
        )
        .route("/v1/sessions/{sessionId}/export", get(transfer::export))
}

/// The documentation of [`routes`].
#[derive(OpenApi)]
#[openapi(paths(
    listing::list,
    lifecycle::create_minted,
    transfer::import,
    lifecycle::get,
    lifecycle::create,
    lifecycle::patch,
    lifecycle::delete,
    lifecycle::terminate,
    lifecycle::resume,
    lifecycle::fork,
    transcript::page,
    messages::post,
    messages::post_stream,
    messages::withdraw,
    messages::reorder,
    messages::cancel,
    events::page,
    events::stream,
    decisions::reply_to_question,
    decisions::reject_question,
    decisions::reply_to_permission,
    transfer::export
))]
pub(crate) struct Operations;

type Id = Result<Path<String>, PathRejection>;

async fn find(state: &AppState, id: Id) -> ApiResult<SessionHandle> {
    let Path(id) = id?;
    Ok(state.sessions.get(&id).await?)
}

/// The key that a request has, if it has one.
fn idempotency_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.next().is_some() {
        return Err(ApiError::invalid("Idempotency-Key is given more than once"));
    }
    let key = key.to_str().map_err(|_| ApiError::invalid("Idempotency-Key must be visible ASCII"))?;
    Ok(Some(key.to_owned()))
}

/// Does it to its end, also if the client goes away meanwhile: what was begun would be left half done.
async fn whole<T: Send + 'static>(
    work: impl Future<Output = Result<T, SessionError>> + Send + 'static,
) -> ApiResult<T> {
    match tokio::spawn(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(_) => {
            Err(ApiError::new(ErrorCode::Internal, "the daemon hit a bug while it served this request"))
        }
    }
}
