//! `/v1/sessions`: universal sessions, the same for every agent.

mod decisions;
mod events;
mod lifecycle;
mod messages;
mod refusals;
mod transfer;

use crate::body;
use crate::negotiate::check_json_body;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use http::HeaderMap;
use refusals::about;
use sa_api::{ErrorCode, Problem};
use sa_sessions::{SessionError, SessionHandle};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of this area.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(lifecycle::list))
        .routes(routes!(transfer::import))
        .routes(routes!(lifecycle::get, lifecycle::create, lifecycle::patch, lifecycle::delete))
        .routes(routes!(lifecycle::terminate))
        .routes(routes!(lifecycle::fork))
        .routes(routes!(messages::post))
        .routes(routes!(messages::post_stream))
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
    state.sessions.get(&id).map_err(about(&id))
}

/// The body as JSON of that shape.
async fn read_json<T: DeserializeOwned>(state: &AppState, headers: &HeaderMap, body: Body) -> ApiResult<T> {
    check_json_body(headers)?;
    parse(&body::read(body, state.hub.limits().body_bytes).await?)
}

/// The same, where no body at all asks for what is usual.
async fn read_json_or_default<T: DeserializeOwned + Default>(
    state: &AppState,
    headers: &HeaderMap,
    body: Body,
) -> ApiResult<T> {
    let bytes = body::read(body, state.hub.limits().body_bytes).await?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    check_json_body(headers)?;
    parse(&bytes)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    // Only an object says which value is which; a list would be taken member by member.
    let object: serde_json::Result<Map<String, Value>> = serde_json::from_slice(bytes);
    let parsed = object.and_then(|object| serde_json::from_value(object.into()));
    parsed.map_err(|error| ApiError::invalid(format!("the body: {error}")))
}

/// Does it to its end, also if the client goes away meanwhile: what was begun would be left half done.
async fn whole<T: Send + 'static>(
    id: &str,
    work: impl Future<Output = Result<T, SessionError>> + Send + 'static,
) -> ApiResult<T> {
    match tokio::spawn(work).await {
        Ok(outcome) => outcome.map_err(about(id)),
        Err(_) => {
            let problem =
                Problem::new(ErrorCode::Internal, "the daemon hit a bug while it served this request");
            Err(problem.with_session(id).into())
        }
    }
}
