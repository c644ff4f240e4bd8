//! The limits on processes.

use crate::handler::{ApiResult, AppState, Json, JsonBody, operation};
use sa_api::{ProcessConfig, ProcessConfigChange};

/// Get the limits on processes
///
/// Returns the limits that are in force.
///
/// - 200: The limits in force
#[operation(getProcessConfig: get "/v1/processes/config")]
pub(crate) async fn get(state: AppState) -> Json<ProcessConfig> {
    Json(state.services.processes.config())
}

/// Change the limits on processes
///
/// Absent members keep their value. The change lasts until the daemon exits. Processes that already run continue,
/// even above a new limit.
///
/// - body: The limits to change
/// - 200: The limits in force from now on
/// - 400: The body is no such change, or the limits make no sense
#[operation(setProcessConfig: post "/v1/processes/config")]
pub(crate) async fn set(
    state: AppState,
    JsonBody(change): JsonBody<ProcessConfigChange>,
) -> ApiResult<Json<ProcessConfig>> {
    let config = state.services.processes.configure(|config| change.apply(config))?;
    tracing::info!(?config, "the limits on processes were changed");
    Ok(Json(config))
}
