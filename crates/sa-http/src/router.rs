//! All routes in one place, and the layers around them.

use crate::acp;
use crate::gate;
use crate::problem::ApiError;
use crate::routes::{agents, config, fs, inspector, meta, processes, sessions};
use crate::state::AppState;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::FutureExt;
use sa_api::ErrorCode;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use tower::Service;

/// The routes that the daemon serves. From the outside in: CORS, the gate, the route.
pub(crate) fn build(state: AppState) -> Router {
    let cors = state.options.cors.layer().ok().flatten();
    let router = routes()
        .merge(inspector::routes())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(state.clone(), gate::pass));
    let router = match cors {
        Some(cors) => router.layer(cors),
        None => router,
    };
    router.with_state(state)
}

/// Answers a request. One that panics must not take the connection or the daemon with it. Not a layer, which would cost
/// every request an allocation of the whole chain behind it.
pub(crate) async fn answer<B>(mut routes: Router, request: http::Request<B>) -> Result<Response, Infallible>
where
    B: http_body::Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
{
    let answered = AssertUnwindSafe(async { routes.call(request).await }).catch_unwind().await;
    answered.unwrap_or_else(|_| {
        let bug = "the daemon hit a bug while it served this request";
        Ok(ApiError::new(ErrorCode::Internal, bug).into_response())
    })
}

fn routes() -> Router<AppState> {
    meta::routes()
        .merge(agents::routes())
        .merge(acp::server_routes())
        .merge(acp::standard_routes())
        .merge(acp::agent_routes())
        .merge(fs::routes())
        .merge(config::routes())
        .merge(processes::routes())
        .merge(sessions::routes())
}

async fn not_found(request: Request) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at {}", request.uri().path()))
}

async fn method_not_allowed(request: Request) -> ApiError {
    let detail = format!("{} does not take {}", request.uri().path(), request.method());
    ApiError::new(ErrorCode::MethodNotAllowed, detail)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use axum::body::Body;
    use axum::routing::get;
    use http::StatusCode;

    #[tokio::test]
    async fn a_request_that_panics_is_answered_and_the_next_one_is_served() {
        let panics = || async {
            if true {
                panic!("a bug")
            }
        };
        let routes = Router::new().route("/bug", get(panics)).route("/fine", get(|| async {}));
        for (path, status) in [("/bug", StatusCode::INTERNAL_SERVER_ERROR), ("/fine", StatusCode::OK)] {
            let request = http::Request::get(path).body(Body::empty()).unwrap();
            assert_eq!(answer(routes.clone(), request).await.unwrap().status(), status, "{path}");
        }
    }
}
