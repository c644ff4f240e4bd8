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

use crate::handler::{ApiError, ApiResult, AppState, ErrorCode, FromRequestParts, Parts, path_id};
use sa_processes::Process;

sa_api_macros::operations! {
    lifecycle::list, lifecycle::create, lifecycle::get, lifecycle::delete, lifecycle::stop, lifecycle::kill,
    run::run, config::get, config::set, logs::logs, logs::follow, input::input, input::resize, terminal::attach
}

/// The process in the path.
impl FromRequestParts<AppState> for Process {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let id = path_id(parts, state, "processId").await?;
        let missing = || ApiError::new(ErrorCode::NotFound, format!("there is no process '{id}'"));
        state.services.processes.get(&id).ok_or_else(missing)
    }
}
