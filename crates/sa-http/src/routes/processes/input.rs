//! Input for a running process, and the size of its terminal.

use super::encoding::{Encoding, decode};
use super::lifecycle::check_size;
use super::{Id, find};
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use bytes::Bytes;
use sa_api::{ErrorCode, ProcessInputRequest, ProcessInputResponse, ProcessTerminalSize};
use sa_processes::TerminalSize;

#[utoipa::path(
    post, path = "/v1/processes/{processId}/input", operation_id = "sendProcessInput", tag = "processes",
    summary = "Send input to a process",
    description = "Queues the input for the process. While the queue is full the answer waits a few seconds.",
    request_body(content = ProcessInputRequest, content_type = "application/json", description = "The input"),
    responses(
        (status = 200, description = "It was taken", body = ProcessInputResponse),
        (status = 400, description = "The body is no such request, or its data is not in its encoding"),
        (status = 409, description = "The process has ended, its input is closed, or it does not read"),
        (status = 413, description = "The input exceeds `maxInputBytesPerRequest`"),
    )
)]
pub(crate) async fn input(
    State(state): State<AppState>,
    id: Id,
    body: JsonBody,
) -> ApiResult<Json<ProcessInputResponse>> {
    let process = find(&state, id)?;
    let request: ProcessInputRequest = body.read().await?;
    let bytes = bytes_of(&request)?;
    check_length(&state, &bytes)?;
    let bytes_written = bytes.len();
    process.input(bytes, request.eof).await?;
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
    let limit = state.processes.config().max_input_bytes_per_request;
    if bytes.len() <= limit {
        return Ok(());
    }
    let detail = format!("{} bytes of input exceed {limit}; see maxInputBytesPerRequest", bytes.len());
    Err(ApiError::new(ErrorCode::PayloadTooLarge, detail))
}

#[utoipa::path(
    post, path = "/v1/processes/{processId}/terminal/resize", operation_id = "resizeProcessTerminal", tag = "processes",
    summary = "Resize the terminal of a process",
    description = "Programs on the terminal receive SIGWINCH. All clients of a terminal share its size; the last resize counts.",
    request_body(content = ProcessTerminalSize, content_type = "application/json", description = "The new size"),
    responses(
        (status = 200, description = "It has this size now", body = ProcessTerminalSize),
        (status = 400, description = "The body is no size, or one without columns or rows"),
        (status = 409, description = "The process has no terminal, or ended"),
    )
)]
pub(crate) async fn resize(
    State(state): State<AppState>,
    id: Id,
    body: JsonBody,
) -> ApiResult<Json<ProcessTerminalSize>> {
    let process = find(&state, id)?;
    let size: ProcessTerminalSize = body.read().await?;
    process.resize(check_size(TerminalSize { columns: size.cols, rows: size.rows })?).await?;
    Ok(Json(size))
}
