//! The limits on processes.

use crate::body::JsonBody;
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use sa_api::{ProcessConfig, ProcessConfigChange};

#[utoipa::path(
    get, path = "/v1/processes/config", operation_id = "getProcessConfig", tag = "processes",
    summary = "Get the limits on processes",
    description = "Returns the limits that are in force.",
    responses((status = 200, description = "The limits in force", body = ProcessConfig))
)]
pub(crate) async fn get(State(state): State<AppState>) -> Json<ProcessConfig> {
    Json(state.processes.config())
}

#[utoipa::path(
    post, path = "/v1/processes/config", operation_id = "setProcessConfig", tag = "processes",
    summary = "Change the limits on processes",
    description = "Absent members keep their value. The change lasts until the daemon exits. Processes that already run continue, even above a new limit.",
    request_body(content = ProcessConfigChange, content_type = "application/json", description = "The limits to change"),
    responses(
        (status = 200, description = "The limits in force from now on", body = ProcessConfig),
        (status = 400, description = "The body is no such change, or the limits make no sense"),
    )
)]
pub(crate) async fn set(State(state): State<AppState>, body: JsonBody) -> ApiResult<Json<ProcessConfig>> {
    let change: ProcessConfigChange = body.read().await?;
    let config = state.processes.configure(|config| change.apply(config))?;
    tracing::info!(?config, "the limits on processes were changed");
    Ok(Json(config))
}
