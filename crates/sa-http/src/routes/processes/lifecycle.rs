//! Processes from their start to their removal.

use super::{Id, describe, find};
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use http::StatusCode;
use sa_api::{ProcessCreateRequest, ProcessInfo, ProcessListResponse, ProcessOwner};
use sa_processes::{Process, RemoveError, Spec, TerminalSize};
use serde::Deserialize;
use std::time::Duration;

/// The size of a terminal whose client does not say.
const USUAL_SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };

#[utoipa::path(
    post, path = "/v1/processes", operation_id = "createProcess", tag = "processes",
    summary = "Start a process",
    description = "The process runs until it exits or is stopped, independent of clients. Its output is kept up to a limit in bytes. With `tty` it runs on a terminal of its own with `TERM=xterm-256color`. Processes that it leaves behind are stopped when it exits.",
    request_body(content = ProcessCreateRequest, content_type = "application/json", description = "The command"),
    responses(
        (status = 201, description = "The process runs", body = ProcessInfo),
        (status = 400, description = "The body is no such request, or the command cannot be started: there is no such program or directory"),
        (status = 409, description = "As many processes run as may"),
        (status = 502, description = "The system could not start it"),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    body: JsonBody,
) -> ApiResult<(StatusCode, Json<ProcessInfo>)> {
    let request: ProcessCreateRequest = body.read().await?;
    let columns = request.cols.unwrap_or(USUAL_SIZE.columns);
    let size = TerminalSize { columns, rows: request.rows.unwrap_or(USUAL_SIZE.rows) };
    let spec = Spec {
        command: request.command,
        args: request.args,
        cwd: request.cwd,
        env: request.env.into_iter().collect(),
        interactive: request.interactive,
        terminal: request.tty.then_some(check_size(size)?),
    };
    let process = state.processes.create(spec).await?;
    Ok((StatusCode::CREATED, Json(describe::info(process.describe()))))
}

/// A terminal without columns or rows is none.
pub(super) fn check_size(size: TerminalSize) -> ApiResult<TerminalSize> {
    if size.columns == 0 || size.rows == 0 {
        let member = if size.columns == 0 { "cols" } else { "rows" };
        return Err(ApiError::invalid(format!(
            "member '{member}': expected a number from 1 to 65535, got 0"
        )));
    }
    Ok(size)
}

/// Query of the list of processes.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListQuery {
    owner: Option<ProcessOwner>,
}

#[utoipa::path(
    get, path = "/v1/processes", operation_id = "listProcesses", tag = "processes",
    summary = "List processes",
    description = "Returns running processes and the most recent ones that exited, in the order of creation. Commands of `run` are not included.",
    params(("owner" = inline(Option<ProcessOwner>), Query, description = "Only processes of this owner; this daemon starts processes of users only")),
    responses(
        (status = 200, description = "The processes, in the order of their creation", body = ProcessListResponse),
        (status = 400, description = "There is no such owner"),
    )
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> ApiResult<Json<ProcessListResponse>> {
    let Query(query) = query?;
    let mut processes: Vec<ProcessInfo> = state.processes.list().into_iter().map(describe::info).collect();
    processes.retain(|process| query.owner.is_none_or(|owner| process.owner == owner));
    Ok(Json(ProcessListResponse { processes }))
}

#[utoipa::path(
    get, path = "/v1/processes/{processId}", operation_id = "getProcess", tag = "processes",
    summary = "Get a process",
    description = "Returns the state of one process.",
    responses((status = 200, description = "The process", body = ProcessInfo))
)]
pub(crate) async fn get(State(state): State<AppState>, id: Id) -> ApiResult<Json<ProcessInfo>> {
    Ok(Json(describe::info(find(&state, id)?.describe())))
}

#[utoipa::path(
    delete, path = "/v1/processes/{processId}", operation_id = "deleteProcess", tag = "processes",
    summary = "Delete a process",
    description = "Forgets a process that has exited, and its output. Succeeds also if there is no such process.",
    responses(
        (status = 204, description = "The process does not exist any more"),
        (status = 409, description = "The process runs; stop or kill it first"),
    )
)]
pub(crate) async fn delete(State(state): State<AppState>, id: Id) -> ApiResult<StatusCode> {
    let Path(id) = id?;
    match state.processes.remove(&id) {
        Ok(()) | Err(RemoveError::Unknown) => Ok(StatusCode::NO_CONTENT),
        Err(error @ RemoveError::Running) => Err(error.into()),
    }
}

/// Query of stopping a process.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StopQuery {
    wait_ms: Option<u64>,
    grace_ms: Option<u64>,
}

#[utoipa::path(
    post, path = "/v1/processes/{processId}/stop", operation_id = "stopProcess", tag = "processes",
    summary = "Stop a process",
    description = "Sends SIGTERM to the process and everything it started, and SIGKILL after a grace period. The grace period continues if the answer comes first. A process that has exited is left as it is.",
    params(
        ("waitMs" = Option<u64>, Query, description = "Answer after so many milliseconds at the latest; without it when the process has ended"),
        ("graceMs" = Option<u64>, Query, description = "Milliseconds between SIGTERM and SIGKILL; `stopGraceMs` of the configuration by default"),
    ),
    responses(
        (status = 200, description = "The process as it is now", body = ProcessInfo),
        (status = 400, description = "A parameter is no number"),
    )
)]
pub(crate) async fn stop(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<StopQuery>, QueryRejection>,
) -> ApiResult<Json<ProcessInfo>> {
    let (process, Query(query)) = (find(&state, id)?, query?);
    let grace = Duration::from_millis(query.grace_ms.unwrap_or(state.processes.config().stop_grace_ms));
    Ok(Json(end(&process, grace, query.wait_ms).await))
}

/// Query of killing a process.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KillQuery {
    wait_ms: Option<u64>,
}

#[utoipa::path(
    post, path = "/v1/processes/{processId}/kill", operation_id = "killProcess", tag = "processes",
    summary = "Kill a process",
    description = "Sends SIGKILL to the process and everything it started. A process that has exited is left as it is.",
    params(("waitMs" = Option<u64>, Query, description = "Answer after so many milliseconds at the latest; without it when the process has ended")),
    responses(
        (status = 200, description = "The process as it is now", body = ProcessInfo),
        (status = 400, description = "The parameter is no number"),
    )
)]
pub(crate) async fn kill(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<KillQuery>, QueryRejection>,
) -> ApiResult<Json<ProcessInfo>> {
    let (process, Query(query)) = (find(&state, id)?, query?);
    Ok(Json(end(&process, Duration::ZERO, query.wait_ms).await))
}

async fn end(process: &Process, grace: Duration, wait_ms: Option<u64>) -> ProcessInfo {
    if process.ended().is_none() {
        let stop = process.stop(grace);
        match wait_ms {
            // The time being over is an answer, too: what is described then still runs.
            Some(wait_ms) => drop(tokio::time::timeout(Duration::from_millis(wait_ms), stop).await),
            None => stop.await,
        }
    }
    describe::info(process.describe())
}
