//! `/v1/sessions`: universal sessions, the same for every agent.

mod decisions;
mod event_query;
mod events;
mod lifecycle;
mod listing;
mod messages;
mod refusals;
mod transcript;
mod transfer;

use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use http::HeaderMap;
use sa_api::ErrorCode;
use sa_sessions::{SessionError, SessionHandle};
use std::future::Future;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of this area.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(listing::list, lifecycle::create_minted))
        .routes(routes!(transfer::import))
        .routes(routes!(lifecycle::get, lifecycle::create, lifecycle::patch, lifecycle::delete))
        .routes(routes!(lifecycle::terminate))
        .routes(routes!(lifecycle::resume))
        .routes(routes!(lifecycle::fork))
        .routes(routes!(transcript::page, messages::post))
        .routes(routes!(messages::post_stream))
        .routes(routes!(messages::withdraw))
        .routes(routes!(messages::cancel))
        .routes(routes!(events::page))
        .routes(routes!(events::stream))
        .routes(routes!(decisions::reply_to_question))
        .routes(routes!(decisions::reject_question))
        .routes(routes!(decisions::reply_to_permission))
        .routes(routes!(transfer::export))
}

/// The id in a path.
type Id = Result<Path<String>, PathRejection>;

/// The session of that id.
fn find(state: &AppState, id: Id) -> ApiResult<SessionHandle> {
    let Path(id) = id?;
    Ok(state.sessions.get(&id)?)
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
