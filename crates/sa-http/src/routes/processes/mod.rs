//! `/v1/processes`: commands that run to their end, processes that run on, and their terminals.

mod config;
mod describe;
mod encoding;
mod input;
mod lifecycle;
mod logs;
mod refusals;
mod run;
mod terminal;
mod text;

use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use sa_api::ErrorCode;
use sa_processes::Process;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of this area.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(lifecycle::list, lifecycle::create))
        .routes(routes!(run::run))
        .routes(routes!(config::get, config::set))
        .routes(routes!(lifecycle::get, lifecycle::delete))
        .routes(routes!(lifecycle::stop))
        .routes(routes!(lifecycle::kill))
        .routes(routes!(logs::logs))
        .routes(routes!(logs::follow))
        .routes(routes!(input::input))
        .routes(routes!(input::resize))
        .routes(routes!(terminal::attach))
}

/// The id in a path.
type Id = Result<Path<String>, PathRejection>;

/// The process of that id.
fn find(state: &AppState, id: Id) -> ApiResult<Process> {
    let Path(id) = id?;
    state.processes.get(&id).ok_or_else(|| unknown(&id))
}

fn unknown(id: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is no process '{id}'"))
}
