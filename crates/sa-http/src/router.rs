//! All routes in one place, and the layers around them.

use crate::acp;
use crate::gate;
use crate::openapi::{self, Contract};
use crate::problem::ApiError;
use crate::routes::{agents, config, fs, inspector, meta, processes, sessions, tickets};
use crate::state::AppState;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use sa_api::ErrorCode;
use std::any::Any;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The document that the routes add up to.
pub(crate) fn contract() -> utoipa::openapi::OpenApi {
    let (_, mut document) = documented().split_for_parts();
    openapi::complete(&mut document);
    document
}

/// The service that the daemon serves. From the outside in: panics, CORS, the gate, the route.
pub(crate) fn build(state: AppState) -> Router {
    let (router, _) = documented().split_for_parts();
    let cors = state.options.cors.layer().ok().flatten();
    let router = router
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

fn documented() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Contract::openapi())
        .routes(routes!(meta::info))
        .routes(routes!(meta::health))
        .routes(routes!(meta::openapi))
        .routes(routes!(meta::metrics))
        .routes(routes!(tickets::issue))
        .routes(routes!(tickets::revoke))
        .routes(routes!(agents::list))
        .routes(routes!(agents::get, agents::update, agents::uninstall))
        .routes(routes!(agents::install))
        .routes(routes!(agents::install_stream))
        .routes(routes!(agents::latest))
        .routes(routes!(agents::modes))
        .routes(routes!(agents::models))
        .routes(routes!(acp::list))
        .routes(routes!(acp::post, acp::stream, acp::delete))
        .routes(routes!(acp::standard_post, acp::standard_get, acp::standard_delete))
        .routes(routes!(acp::agent_post, acp::agent_get, acp::agent_delete))
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
