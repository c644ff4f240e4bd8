//! The daemon itself: name, liveness, contract, metrics.

use crate::asset::{Asset, Content};
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use sa_api::{Health, Info, InfoLinks};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The checked-in document: assembling it from the routes takes a hundred times as long and megabytes of heap.
const CONTRACT: Asset = Asset {
    content_type: "application/json",
    cache: "no-cache",
    etag: env!("CONTRACT_ETAG"),
    content: Content::Gzip(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"))),
};

#[utoipa::path(
    get, path = "/", operation_id = "getInfo", tag = "meta",
    summary = "Get name, version and links",
    description = "Returns the name and version of the daemon and the paths of its main resources.",
    responses((status = 200, description = "Name, version and links", body = Info))
)]
pub(crate) async fn info() -> Json<Info> {
    let links = InfoLinks {
        health: "/v1/health".to_owned(),
        openapi: "/v1/openapi.json".to_owned(),
        agents: "/v1/agents".to_owned(),
        sessions: "/v1/sessions".to_owned(),
        acp_servers: "/v1/acp".to_owned(),
        acp: "/acp".to_owned(),
        metrics: "/metrics".to_owned(),
    };
    Json(Info { name: "sandbox-agent".to_owned(), version: VERSION.to_owned(), links })
}

#[utoipa::path(
    get, path = "/v1/health", operation_id = "getHealth", tag = "meta", security(()),
    summary = "Check that the daemon is alive",
    description = "Needs no token. A daemon that is shutting down, or hangs, does not answer.",
    responses((status = 200, description = "The daemon answers", body = Health))
)]
pub(crate) async fn health(State(state): State<AppState>) -> Json<Health> {
    Json(Health {
        status: "ok".to_owned(),
        version: VERSION.to_owned(),
        uptime_ms: state.started.elapsed().as_millis() as u64,
    })
}

#[utoipa::path(
    get, path = "/v1/openapi.json", operation_id = "getOpenapi", tag = "meta",
    summary = "Get the OpenAPI document",
    description = "Returns the document that describes this API, as the daemon serves it.",
    responses(
        (status = 200, description = "The OpenAPI document", content_type = "application/json", body = serde_json::Value),
        (status = 304, description = "The document has the entity tag of `If-None-Match`")
    )
)]
pub(crate) async fn openapi(headers: HeaderMap) -> ApiResult<Response> {
    CONTRACT.respond(&headers)
}

#[utoipa::path(
    get, path = "/metrics", operation_id = "getMetrics", tag = "meta",
    summary = "Get metrics",
    description = "Returns counters and gauges for Prometheus, in the OpenMetrics text format.",
    responses((status = 200, description = "Metrics in the OpenMetrics text format", content_type = "application/openmetrics-text", body = String))
)]
pub(crate) async fn metrics(State(state): State<AppState>) -> impl IntoResponse {
    let text = state.metrics.text();
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
}
