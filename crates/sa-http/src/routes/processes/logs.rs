//! A process's output: what there is, and what comes.

use super::{Id, describe, find};
use crate::acp::events::{self, Frames};
use crate::negotiate::{Media, check_accept};
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::HeaderMap;
use sa_api::{Problem, ProcessLogEntry, ProcessLogsResponse, ProcessLogsStream};
use sa_processes::{Position, Process, Reader, Step, Stream};
use sa_relay::event_frame;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::task::{Context, Poll};

/// Query of a process's output.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct LogsQuery {
    stream: Option<ProcessLogsStream>,
    tail: Option<usize>,
    since: Option<u64>,
    follow: Option<bool>,
}

/// A process's output.
#[utoipa::path(
    get, path = "/v1/processes/{processId}/logs", operation_id = "getProcessLogs", tag = "processes",
    summary = "A process's output",
    description = "Pieces of output by their sequence numbers; the oldest ones are dropped when the log is full, and `gap` says so. With \
        `follow` the answer is an event stream: `log` for each piece, `gap` where some are missing, `exit` when the process has ended, \
        and then the stream ends. A client that was cut off goes on with `Last-Event-ID`.",
    params(
        ("processId" = String, Path, description = "The process's id"),
        ("stream" = Option<String>, Query, description = "`stdout`, `stderr`, `pty` or `combined`, which is all there is and the default"),
        ("tail" = Option<u64>, Query, description = "Start with the last so many pieces"),
        ("since" = Option<u64>, Query, description = "Start after the piece of this number"),
        ("follow" = Option<bool>, Query, description = "Stream what comes until the process has ended"),
        ("Last-Event-ID" = Option<u64>, Header, description = "With `follow`: start after the piece of this number, whatever the query says"),
    ),
    responses(
        (status = 200, description = "The output; or, with `follow`, the stream of it", content(
            (ProcessLogsResponse = "application/json"),
            (ProcessLogEntry = "text/event-stream"),
        )),
        (status = 400, description = "A parameter is not what it should be", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such process", body = Problem, content_type = "application/problem+json"),
        (status = 406, description = "`Accept` excludes the answer", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn logs(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<LogsQuery>, QueryRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (process, Query(query)) = (find(&state, id)?, query?);
    let stream = query.stream.unwrap_or(if process.has_terminal() {
        ProcessLogsStream::Pty
    } else {
        ProcessLogsStream::Combined
    });
    let from = match (query.since, query.tail) {
        (Some(_), Some(_)) => return Err(ApiError::invalid("since and tail exclude each other")),
        (None, Some(count)) => Position::Tail(count),
        (since, None) => Position::After(since.unwrap_or_default()),
    };
    if query.follow == Some(true) {
        check_accept(&headers, Media::EventStream)?;
        let from = crate::acp::last_event_id(&headers, None)?.map_or(from, Position::After);
        let frames = LogFrames::new(process, from, only(stream));
        return Ok(events::response(frames, state.hub.limits().heartbeat_ms));
    }
    check_accept(&headers, Media::Json)?;
    let (entries, dropped) = process.output(from, only(stream));
    let response = ProcessLogsResponse {
        process_id: process.id().to_owned(),
        stream,
        entries: entries.iter().map(describe::entry).collect(),
        gap: dropped.map(describe::gap),
    };
    Ok(Json(response).into_response())
}

fn only(stream: ProcessLogsStream) -> Option<Stream> {
    match stream {
        ProcessLogsStream::Stdout => Some(Stream::Stdout),
        ProcessLogsStream::Stderr => Some(Stream::Stderr),
        ProcessLogsStream::Pty => Some(Stream::Terminal),
        ProcessLogsStream::Combined => None,
    }
}

/// Output as events, up to the end of the process.
struct LogFrames {
    process: Process,
    reader: Reader,
    /// What is sent before the rest.
    pending: VecDeque<Bytes>,
    over: bool,
}

impl LogFrames {
    fn new(process: Process, from: Position, only: Option<Stream>) -> Self {
        let reader = process.reader(from, only);
        let pending = VecDeque::from([events::opening(reader.cursor())]);
        Self { process, reader, pending, over: false }
    }

    fn frame(step: &Step) -> Bytes {
        match step {
            Step::Entry(entry) => {
                let data = json(&describe::entry(entry));
                Bytes::from(format!("event: log\nid: {}\ndata: {data}\n\n", entry.sequence))
            }
            Step::Dropped(dropped) => event_frame("gap", &json(&describe::gap(*dropped))),
        }
    }
}

impl Frames for LogFrames {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(frame) = self.pending.pop_front() {
            return Poll::Ready(Some(frame));
        }
        if self.over {
            return Poll::Ready(None);
        }
        match std::task::ready!(self.reader.poll_step(context)) {
            Some(step) => Poll::Ready(Some(Self::frame(&step))),
            None => {
                self.over = true;
                let exit = self.process.ended().map(|ended| describe::exit(&ended));
                Poll::Ready(exit.map(|exit| event_frame("exit", &json(&exit))))
            }
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
