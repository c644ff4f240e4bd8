//! What every request passes on its way to its route: Host and Origin, the token, and being counted. One layer for all
//! three, as each layer costs every request an allocation of the whole chain behind it.

use crate::auth::{self, Entry};
use crate::metrics::Asked;
use crate::origin;
use crate::problem::{ApiResult, name_session};
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// Lets a request through, or refuses it, counts the answer, and says which session a problem is about.
pub(crate) async fn pass(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let asked = Asked::of(&request);
    let uri = request.uri().clone();
    let response = admit(&state, request, next).await.into_response();
    asked.answered(&state.metrics, &response);
    name_session(uri.path(), response)
}

async fn admit(state: &AppState, request: Request, next: Next) -> ApiResult<Response> {
    origin::check(state, &request)?;
    let entry = auth::check(state, &request)?;
    let response = next.run(request).await;
    // What stands in an address opens a socket and nothing else, whatever the request says it wants.
    let opened = response.status() == StatusCode::SWITCHING_PROTOCOLS || !response.status().is_success();
    if entry == Entry::Whole || opened { Ok(response) } else { Err(auth::refusal()) }
}
