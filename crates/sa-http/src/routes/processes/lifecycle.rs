//! Processes from their start to their removal.

use crate::handler::{ApiError, ApiResult, AppState, Json, JsonBody, Path, StatusCode, operation, query};
use sa_api::{ProcessCreateRequest, ProcessInfo, ProcessListResponse, ProcessOwner};
use sa_processes::{Process, RemoveError, Spec, TerminalSize};
use std::time::Duration;

/// The size of a terminal whose client does not say.
const USUAL_SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };

/// Start a process
///
/// The process runs until it exits or is stopped, independent of clients. Its output is kept up to a limit in bytes.
/// With `tty` it runs on a terminal of its own with `TERM=xterm-256color`. Processes that it leaves behind are
/// stopped when it exits.
///
/// - body: The command
/// - 201: The process runs
/// - 400: The body is no such request, or the command cannot be started: there is no such program or directory
/// - 409: As many processes run as may
/// - 502: The system could not start it
#[operation(createProcess: post "/v1/processes")]
pub(crate) async fn create(
    state: AppState,
    JsonBody(request): JsonBody<ProcessCreateRequest>,
) -> ApiResult<(StatusCode, Json<ProcessInfo>)> {
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
    let process = state.services.processes.create(spec).await?;
    Ok((StatusCode::CREATED, Json(process.describe())))
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

#[query]
pub(crate) struct ListQuery {
    /// Only processes of this owner; this daemon starts processes of users only
    #[param(inline)]
    owner: Option<ProcessOwner>,
}

/// List processes
///
/// Returns running processes and the most recent ones that exited, in the order of creation. Commands of `run` are
/// not included.
///
/// - 200: The processes, in the order of their creation
/// - 400: There is no such owner
#[operation(listProcesses: get "/v1/processes")]
pub(crate) async fn list(state: AppState, query: ListQuery) -> ApiResult<Json<ProcessListResponse>> {
    let mut processes = state.services.processes.list();
    processes.retain(|process| query.owner.is_none_or(|owner| process.owner == owner));
    Ok(Json(ProcessListResponse { processes }))
}

/// Get a process
///
/// Returns the state of one process.
///
/// - 200: The process
#[operation(getProcess: get "/v1/processes/{processId}")]
pub(crate) async fn get(process: Process) -> Json<ProcessInfo> {
    Json(process.describe())
}

/// Delete a process
///
/// Forgets a process that has exited, and its output. Succeeds also if there is no such process.
///
/// - 204: The process does not exist any more
/// - 409: The process runs; stop or kill it first
#[operation(deleteProcess: delete "/v1/processes/{processId}")]
pub(crate) async fn delete(state: AppState, Path(id): Path<String>) -> ApiResult<StatusCode> {
    match state.services.processes.remove(&id) {
        Ok(()) | Err(RemoveError::Unknown) => Ok(StatusCode::NO_CONTENT),
        Err(error @ RemoveError::Running) => Err(error.into()),
    }
}

#[query]
pub(crate) struct WaitQuery {
    /// Answer after so many milliseconds at the latest; without it when the process has ended
    wait_ms: Option<u64>,
}

#[query]
pub(crate) struct GraceQuery {
    /// Milliseconds between SIGTERM and SIGKILL; `stopGraceMs` of the configuration by default
    grace_ms: Option<u64>,
}

/// Stop a process
///
/// Sends SIGTERM to the process and everything it started, and SIGKILL after a grace period. The grace period
/// continues if the answer comes first. A process that has exited is left as it is.
///
/// - 200: The process as it is now
/// - 400: A parameter is no number
#[operation(stopProcess: post "/v1/processes/{processId}/stop")]
pub(crate) async fn stop(
    state: AppState,
    process: Process,
    WaitQuery { wait_ms }: WaitQuery,
    GraceQuery { grace_ms }: GraceQuery,
) -> Json<ProcessInfo> {
    let grace = Duration::from_millis(grace_ms.unwrap_or(state.services.processes.config().stop_grace_ms));
    Json(end(&process, grace, wait_ms).await)
}

/// Kill a process
///
/// Sends SIGKILL to the process and everything it started. A process that has exited is left as it is.
///
/// - 200: The process as it is now
/// - 400: The parameter is no number
#[operation(killProcess: post "/v1/processes/{processId}/kill")]
pub(crate) async fn kill(process: Process, WaitQuery { wait_ms }: WaitQuery) -> Json<ProcessInfo> {
    Json(end(&process, Duration::ZERO, wait_ms).await)
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
    process.describe()
}
