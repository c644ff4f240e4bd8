//! The daemon itself: name, liveness, contract, metrics.

use crate::asset::{Asset, Content};
use crate::handler::{ApiResult, AppState, HeaderMap, IntoResponse, Json, Response, header, operation};
use crate::routes::tickets;
use sa_api::{Health, Info, InfoLinks};

const VERSION: &str = env!("CARGO_PKG_VERSION");

sa_api_macros::operations! { info, health, openapi, metrics, tickets::issue, tickets::revoke }

/// The checked-in document: assembling it from the routes takes a hundred times as long and megabytes of heap.
const CONTRACT: Asset = Asset {
    content_type: "application/json",
    cache: "no-cache",
    etag: env!("CONTRACT_ETAG"),
    content: Content::Gzip(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"))),
};

/// Get name, version and links
///
/// Returns the name and version of the daemon and the paths of its main resources.
///
/// - 200: Name, version and links
#[operation(getInfo: get "/")]
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

/// Check that the daemon is alive
///
/// Needs no token. A daemon that is shutting down, or hangs, does not answer.
///
/// - 200: The daemon answers
#[operation(getHealth: get "/v1/health", public)]
pub(crate) async fn health(state: AppState) -> Json<Health> {
    Json(Health {
        status: "ok".to_owned(),
        version: VERSION.to_owned(),
        uptime_ms: state.started.elapsed().as_millis() as u64,
    })
}

/// Get the OpenAPI document
///
/// Returns the document that describes this API, as the daemon serves it.
///
/// - 200: The OpenAPI document
/// - 304: The document has the entity tag of `If-None-Match`
#[operation(getOpenapi: get "/v1/openapi.json" -> serde_json::Value)]
pub(crate) async fn openapi(headers: HeaderMap) -> ApiResult<Response> {
    CONTRACT.respond(&headers)
}

/// Get metrics
///
/// Returns counters and gauges for Prometheus, in the OpenMetrics text format.
///
/// - 200: Metrics in the OpenMetrics text format
#[operation(getMetrics: get "/metrics" -> String as "application/openmetrics-text")]
pub(crate) async fn metrics(state: AppState) -> impl IntoResponse {
    let text = state.metrics.text();
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
}
