//! All routes in one place, and the layers around them.

use crate::acp;
use crate::gate;
use crate::problem::ApiError;
use crate::routes::{agents, config, fs, inspector, meta, processes, sessions, tickets, usage};
use crate::state::AppState;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
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
    Router::new()
        .route("/", get(meta::info))
        .route("/v1/health", get(meta::health))
        .route("/v1/openapi.json", get(meta::openapi))
        .route("/metrics", get(meta::metrics))
        .route("/v1/usage", get(usage::sum))
        .route("/v1/tickets", post(tickets::issue))
        .route("/v1/tickets/{ticket}", delete(tickets::revoke))
        .route("/v1/agents", get(agents::list))
        .route("/v1/agents/{agent}", get(agents::get).patch(agents::update).delete(agents::uninstall))
        .route("/v1/agents/{agent}/install", post(agents::install))
        .route("/v1/agents/{agent}/install/sse", post(agents::install_stream))
        .route("/v1/agents/{agent}/latest", get(agents::latest))
        .route("/v1/agents/{agent}/modes", get(agents::modes))
        .route("/v1/agents/{agent}/models", get(agents::models))
        .route("/v1/acp", get(acp::list))
        .route("/v1/acp/{serverId}", get(acp::stream).post(acp::post).delete(acp::delete))
        .route("/acp", get(acp::standard_get).post(acp::standard_post).delete(acp::standard_delete))
        .route(
            "/v1/agents/{agent}/acp",
            get(acp::standard_get).post(acp::standard_post).delete(acp::standard_delete),
        )
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
