//! The limits on processes.

use crate::body::read_json;
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use http::HeaderMap;
use sa_api::{Problem, ProcessConfig, ProcessConfigChange};
use sa_processes::Config;

/// The limits in force.
#[utoipa::path(
    get, path = "/v1/processes/config", operation_id = "getProcessConfig", tag = "processes",
    summary = "Get the limits on processes",
    description = "Returns the limits that are in force.",
    responses((status = 200, description = "The limits in force", body = ProcessConfig))
)]
pub(crate) async fn get(State(state): State<AppState>) -> Json<ProcessConfig> {
    Json(describe(state.processes.config()))
}

/// Changes the limits.
#[utoipa::path(
    post, path = "/v1/processes/config", operation_id = "setProcessConfig", tag = "processes",
    summary = "Change the limits on processes",
    description = "Absent members keep their value. The change lasts until the daemon exits. Processes that already run continue, even above a new limit.",
    request_body(content = ProcessConfigChange, content_type = "application/json", description = "The limits to change"),
    responses(
        (status = 200, description = "The limits in force from now on", body = ProcessConfig),
        (status = 400, description = "The body is no such change, or the limits make no sense", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body exceeds the limit", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON by its content type", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn set(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<ProcessConfig>> {
    let change: ProcessConfigChange = read_json(&state, &headers, body).await?;
    let config = state.processes.configure(|config| apply(change, config))?;
    tracing::info!(?config, "the limits on processes were changed");
    Ok(Json(describe(config)))
}

fn apply(change: ProcessConfigChange, config: &mut Config) {
    fn set<T>(place: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *place = value;
        }
    }
    set(&mut config.max_concurrent_processes, change.max_concurrent_processes);
    set(&mut config.default_run_timeout_ms, change.default_run_timeout_ms);
    set(&mut config.max_run_timeout_ms, change.max_run_timeout_ms);
    set(&mut config.max_output_bytes, change.max_output_bytes);
    set(&mut config.max_log_bytes_per_process, change.max_log_bytes_per_process);
    set(&mut config.max_input_bytes_per_request, change.max_input_bytes_per_request);
    set(&mut config.max_ended_processes, change.max_ended_processes);
    set(&mut config.stop_grace_ms, change.stop_grace_ms);
}

fn describe(config: Config) -> ProcessConfig {
    ProcessConfig {
        max_concurrent_processes: config.max_concurrent_processes,
        default_run_timeout_ms: config.default_run_timeout_ms,
        max_run_timeout_ms: config.max_run_timeout_ms,
        max_output_bytes: config.max_output_bytes,
        max_log_bytes_per_process: config.max_log_bytes_per_process,
        max_input_bytes_per_request: config.max_input_bytes_per_request,
        max_ended_processes: config.max_ended_processes,
        stop_grace_ms: config.stop_grace_ms,
    }
}
