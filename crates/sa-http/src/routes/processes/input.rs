//! Input for a running process, and the size of its terminal.

use super::encoding::{Encoding, decode};
use super::lifecycle::check_size;
use crate::handler::{ApiError, ApiResult, AppState, ErrorCode, Json, JsonBody, operation};
use bytes::Bytes;
use sa_api::{ProcessInputRequest, ProcessInputResponse, ProcessTerminalSize};
use sa_processes::{AfterInput, Process, TerminalSize};

/// Send input to a process
///
/// Queues the input for the process. While the queue is full the answer waits a few seconds.
///
/// - body: The input
/// - 200: It was taken
/// - 400: The body is no such request, or its data is not in its encoding
/// - 409: The process has ended, its input is closed, or it does not read
/// - 413: The input exceeds `maxInputBytesPerRequest`
#[operation(sendProcessInput: post "/v1/processes/{processId}/input")]
pub(crate) async fn input(
    state: AppState,
    process: Process,
    JsonBody(request): JsonBody<ProcessInputRequest>,
) -> ApiResult<Json<ProcessInputResponse>> {
    let bytes = bytes_of(&request)?;
    check_length(&state, &bytes)?;
    let bytes_written = bytes.len();
    let after = if request.eof { AfterInput::Closed } else { AfterInput::Open };
    process.input(bytes, after).await?;
    Ok(Json(ProcessInputResponse { bytes_written }))
}

fn bytes_of(request: &ProcessInputRequest) -> ApiResult<Bytes> {
    match (&request.text, &request.data) {
        (Some(_), Some(_)) => Err(ApiError::invalid("members 'text' and 'data' exclude each other")),
        (Some(_), None) if request.encoding.is_some() => {
            Err(ApiError::invalid("member 'encoding' is for 'data'; 'text' is taken as it is"))
        }
        (Some(text), None) => Ok(text.clone().into()),
        (None, Some(data)) => decode(data.clone(), request.encoding.as_deref(), Encoding::Base64),
        (None, None) if request.eof => Ok(Bytes::new()),
        (None, None) => Err(ApiError::invalid("no input: send 'text', 'data' or 'eof'")),
    }
}

pub(super) fn check_length(state: &AppState, bytes: &Bytes) -> ApiResult<()> {
    let limit = state.services.processes.config().max_input_bytes_per_request;
    if bytes.len() <= limit {
        return Ok(());
    }
    let detail = format!("{} bytes of input exceed {limit}; see maxInputBytesPerRequest", bytes.len());
    Err(ApiError::new(ErrorCode::PayloadTooLarge, detail))
}

/// Resize the terminal of a process
///
/// Programs on the terminal receive SIGWINCH. All clients of a terminal share its size; the last resize counts.
///
/// - body: The new size
/// - 200: It has this size now
/// - 400: The body is no size, or one without columns or rows
/// - 409: The process has no terminal, or ended
#[operation(resizeProcessTerminal: post "/v1/processes/{processId}/terminal/resize")]
pub(crate) async fn resize(
    process: Process,
    JsonBody(size): JsonBody<ProcessTerminalSize>,
) -> ApiResult<Json<ProcessTerminalSize>> {
    process.resize(check_size(TerminalSize { columns: size.cols, rows: size.rows })?).await?;
    Ok(Json(size))
}
