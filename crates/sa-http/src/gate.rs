//! The checks that every request passes on its way to its route: Host and Origin, the token, the query, and being counted. One layer
//! for all of them, as each layer costs every request an allocation of the whole chain behind it.

use crate::auth::{self, Entry};
use crate::metrics::CountedRequest;
use crate::origin;
use crate::problem::{ApiResult, name_session};
use crate::query;
use crate::request_id::RequestId;
use crate::state::AppState;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};

/// Admits or refuses a request, counts the answer, and adds the id of the request and the session of a problem.
pub(crate) async fn pass(state: AppState, request: Request, next: Next) -> Response {
    let asked = CountedRequest::of(&request);
    let id = RequestId::of(&request);
    let uri = request.uri().clone();
    let response = admit(&state, request, next).await.into_response();
    asked.answered(&state.metrics, &response);
    id.answered(name_session(uri.path(), response))
}

async fn admit(state: &AppState, request: Request, next: Next) -> ApiResult<Response> {
    origin::check(state, &request)?;
    let entry = auth::check(state, &request)?;
    query::check(&request)?;
    let response = next.run(request).await;
    // A ticket opens a stream and nothing else, whatever the request says it wants.
    if entry == Entry::Whole || is_stream(&response) || !response.status().is_success() {
        return Ok(response);
    }
    Err(auth::stream_only())
}

fn is_stream(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    response.status() == StatusCode::SWITCHING_PROTOCOLS
        || content_type.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
