//! Running a command to its end.

use super::encoding;
use crate::handler::{ApiResult, AppState, Json, JsonBody, operation};
use sa_api::{ProcessRunRequest, ProcessRunResponse};
use sa_processes::{RunBounds, Spec};
use std::time::Duration;

/// Run a command
///
/// Waits until the command exits, and returns its exit code or signal and the beginning of both output streams. After
/// the timeout the command and everything it started is killed.
///
/// - body: The command
/// - 200: It ran, whatever came of it
/// - 400: The body is no such request, or the command cannot be started: there is no such program or directory
/// - 409: As many processes run as may
/// - 502: The system could not start it
#[operation(runProcess: post "/v1/processes/run")]
pub(crate) async fn run(
    state: AppState,
    JsonBody(request): JsonBody<ProcessRunRequest>,
) -> ApiResult<Json<ProcessRunResponse>> {
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
    let outcome = state.services.processes.run(spec, bounds).await?;
    let (stdout_truncated, stderr_truncated) = (outcome.stdout.truncated, outcome.stderr.truncated);
    let (stdout, stdout_base64) = encoding::text(outcome.stdout);
    let (stderr, stderr_base64) = encoding::text(outcome.stderr);
    Ok(Json(ProcessRunResponse {
        exit: outcome.exit,
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
