//! Running a command to its end.

use super::encoding;
use crate::body::JsonBody;
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use sa_api::{ProcessRunRequest, ProcessRunResponse};
use sa_processes::{RunBounds, Spec};
use std::time::Duration;

#[utoipa::path(
    post, path = "/v1/processes/run", operation_id = "runProcess", tag = "processes",
    summary = "Run a command",
    description = "Waits until the command exits, and returns its exit code or signal and the beginning of both output streams. After the timeout the command and everything it started is killed.",
    request_body(content = ProcessRunRequest, content_type = "application/json", description = "The command"),
    responses(
        (status = 200, description = "It ran, whatever came of it", body = ProcessRunResponse),
        (status = 400, description = "The body is no such request, or the command cannot be started: there is no such program or directory"),
        (status = 409, description = "As many processes run as may"),
        (status = 502, description = "The system could not start it"),
    )
)]
pub(crate) async fn run(
    State(state): State<AppState>,
    body: JsonBody,
) -> ApiResult<Json<ProcessRunResponse>> {
    let request: ProcessRunRequest = body.read().await?;
    let timeout_ms = request.timeout_ms.map(|given| if given == 0 { u64::MAX } else { given });
    let bounds =
        RunBounds { timeout: timeout_ms.map(Duration::from_millis), output_bytes: request.max_output_bytes };
    let spec = Spec {
        command: request.command,
        args: request.args,
        cwd: request.cwd,
        env: request.env.into_iter().collect(),
        ..Spec::default()
    };
    let outcome = state.processes.run(spec, bounds).await?;
    let (stdout_truncated, stderr_truncated) = (outcome.stdout.truncated, outcome.stderr.truncated);
    let (stdout, stdout_base64) = encoding::text(outcome.stdout);
    let (stderr, stderr_base64) = encoding::text(outcome.stderr);
    Ok(Json(ProcessRunResponse {
        exit_code: outcome.code,
        signal: outcome.signal,
        oom_killed: outcome.out_of_memory,
        timed_out: outcome.timed_out,
        stdout,
        stderr,
        stdout_base64,
        stderr_base64,
        stdout_truncated,
        stderr_truncated,
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
    }))
}
