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
use sa_api::ErrorCode;
use std::any::Any;
use tower_http::catch_panic::CatchPanicLayer;

/// The service that the daemon serves. From the outside in: panics, CORS, the gate, the route.
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
    router.layer(CatchPanicLayer::custom(panicked)).with_state(state)
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

/// One request that panics must not take the connection or the daemon with it.
fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::new(ErrorCode::Internal, "the daemon hit a bug while it served this request").into_response()
}
