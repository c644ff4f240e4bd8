//! `/v1/processes`: commands that run to their end, processes that run on, and their terminals.

mod config;
mod describe;
mod encoding;
mod input;
mod lifecycle;
mod logs;
mod run;
mod terminal;
mod text;

use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::routing::{get, post};
use sa_api::ErrorCode;
use sa_processes::Process;
use utoipa::OpenApi;

/// The routes of this area.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/processes", get(lifecycle::list).post(lifecycle::create))
        .route("/v1/processes/run", post(run::run))
        .route("/v1/processes/config", get(config::get).post(config::set))
        .route("/v1/processes/{processId}", get(lifecycle::get).delete(lifecycle::delete))
        .route("/v1/processes/{processId}/stop", post(lifecycle::stop))
        .route("/v1/processes/{processId}/kill", post(lifecycle::kill))
        .route("/v1/processes/{processId}/logs", get(logs::logs))
        .route("/v1/processes/{processId}/logs/sse", get(logs::follow))
        .route("/v1/processes/{processId}/input", post(input::input))
        .route("/v1/processes/{processId}/terminal/resize", post(input::resize))
        .route("/v1/processes/{processId}/terminal/ws", get(terminal::attach))
}

/// The documentation of [`routes`].
#[derive(OpenApi)]
#[openapi(paths(
    lifecycle::list,
    lifecycle::create,
    run::run,
    config::get,
    config::set,
    lifecycle::get,
    lifecycle::delete,
    lifecycle::stop,
    lifecycle::kill,
    logs::logs,
    logs::follow,
    input::input,
    input::resize,
    terminal::attach
))]
pub(crate) struct Operations;

type Id = Result<Path<String>, PathRejection>;

fn find(state: &AppState, id: Id) -> ApiResult<Process> {
    let Path(id) = id?;
    state.processes.get(&id).ok_or_else(|| unknown(&id))
}

fn unknown(id: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is no process '{id}'"))
}
