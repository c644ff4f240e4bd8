//! A process's output: what there is, and what comes.

use super::text::{Characters, Writing};
use super::{Id, describe, find};
use crate::negotiate::{Media, check_accept};
use crate::problem::{ApiError, ApiResult};
use crate::query;
use crate::state::AppState;
use crate::stream::{self, Frames, last_event_id, sse};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::HeaderMap;
use sa_api::{ProcessLogEntry, ProcessLogsResponse, ProcessLogsStream};
use sa_journal::Step;
use sa_processes::{Entry, Position, Process, Reader};
use serde::Deserialize;
use std::collections::VecDeque;
use std::task::{Context, Poll};

/// Most entries of one page, where a client asks for pages.
const MOST_ENTRIES: usize = 10_000;

/// Query of a process's output.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogsQuery {
    stream: Option<ProcessLogsStream>,
    tail: Option<usize>,
    after: Option<u64>,
    since: Option<u64>,
    last_event_id: Option<String>,
    limit: Option<usize>,
    encoding: Option<LogEncoding>,
    follow: Option<bool>,
}

/// How a client wants output to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogEncoding {
    /// Every entry in base64.
    Base64,
    /// Entries that are UTF-8 as text, others in base64.
    Text,
}

#[utoipa::path(
    get, path = "/v1/processes/{processId}/logs", operation_id = "getProcessLogs", tag = "processes",
    summary = "Get the output of a process",
    description = "Returns entries of output by sequence number, from the oldest. When the log is full the oldest entries are dropped; `gap` \
        reports that. Without `limit` all entries are returned.",
    params(
        ("stream" = inline(Option<ProcessLogsStream>), Query, description = "The output to read; all of it by default"),
        ("tail" = Option<u64>, Query, description = "Start with the last so many entries; excludes `after`"),
        ("after" = Option<u64>, Query, description = "Start after the entry of this number; 0 by default"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 10000, description = "Return at most so many entries; `hasMore` is true if there are newer ones"),
        ("encoding" = inline(Option<LogEncoding>), Query, description = "`text`: entries that are UTF-8 come as text with `encoding: utf8`, others in base64. `base64`, the default: all entries in base64"),
        ("since" = Option<u64>, Query, deprecated, description = "The same as `after`"),
        ("follow" = Option<bool>, Query, deprecated, description = "`true`: answer as `/v1/processes/{processId}/logs/sse` does"),
        ("Last-Event-ID" = Option<u64>, Header, deprecated, description = "With `follow`: the same as `after`, and stronger than the query"),
    ),
    responses(
        (status = 200, description = "The output", body = ProcessLogsResponse),
        (status = 400, description = "Invalid parameter"),
    )
)]
pub(crate) async fn logs(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<LogsQuery>, QueryRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (process, Query(query)) = (find(&state, id)?, query?);
    if query.follow == Some(true) {
        return respond(&state, process, &query, &headers);
    }
    check_accept(&headers, Media::Json)?;
    let (which, only) = wanted(&process, &query);
    let from = start(&query)?;
    let (mut entries, gap) = process.output(from, only);
    let limit = query.limit.unwrap_or(usize::MAX);
    let has_more = entries.len() > limit;
    entries.truncate(limit);
    let before = entries.first().map_or(0, |entry| entry.sequence - 1);
    let mut writing = writing(&process, &query, before, only);
    let mut entries: Vec<_> = entries.iter().map(|entry| writing.write(entry)).collect();
    if !has_more && process.ended().is_some() {
        entries.extend(writing.finish());
    }
    let response = ProcessLogsResponse {
        process_id: process.id().to_owned(),
        stream: which,
        entries,
        has_more,
        gap: gap.map(describe::gap),
    };
    Ok(Json(response).into_response())
}

#[utoipa::path(
    get, path = "/v1/processes/{processId}/logs/sse", operation_id = "streamProcessLogs", tag = "processes",
    summary = "Stream a process's output",
    description = "Server-sent events: `log` (ProcessLogEntry) for each entry, with its number in `id`; `gap` (ProcessLogGap) where entries were \
        dropped before they were sent; `exit` (ProcessExit) when the process has ended. The stream ends after `exit`. Without a cursor or \
        `tail` it starts at the oldest entry. A client that was cut off resumes with `Last-Event-ID` or `lastEventId`.",
    params(
        ("stream" = inline(Option<ProcessLogsStream>), Query, description = "The output to read; all of it by default"),
        ("tail" = Option<u64>, Query, description = "Start with the last so many entries"),
        ("encoding" = inline(Option<LogEncoding>), Query, description = "`text`: entries that are UTF-8 come as text with `encoding: utf8`, others in base64. `base64`, the default: all entries in base64"),
        ("lastEventId" = Option<u64>, Query, description = "Start after the entry of this number. The header is stronger, so a client that reconnects may keep the URL"),
        ("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for clients that cannot send headers"),
        ("Last-Event-ID" = Option<u64>, Header, description = "Start after the entry of this number"),
    ),
    responses(
        (status = 200, description = "The stream", content((ProcessLogEntry = "text/event-stream"))),
        (status = 400, description = "Invalid parameter"),
    )
)]
pub(crate) async fn follow(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<LogsQuery>, QueryRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (process, Query(query)) = (find(&state, id)?, query?);
    respond(&state, process, &query, &headers)
}

fn respond(
    state: &AppState,
    process: Process,
    query: &LogsQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    check_accept(headers, Media::EventStream)?;
    let (_, only) = wanted(&process, query);
    let resumed = last_event_id(headers, query.last_event_id.as_deref())?;
    let from = resumed.map_or_else(|| start(query), |id| Ok(Position::After(id)))?;
    let reader = process.reader(from, only);
    let writing = writing(&process, query, reader.cursor(), only);
    Ok(stream::response(state, LogFrames::new(process, reader, writing)))
}

/// Returns the stream that the request selects, and the only one that entries may have.
fn wanted(process: &Process, query: &LogsQuery) -> (ProcessLogsStream, Option<ProcessLogsStream>) {
    let all = if process.has_terminal() { ProcessLogsStream::Pty } else { ProcessLogsStream::Combined };
    let stream = query.stream.unwrap_or(all);
    (stream, (stream != ProcessLogsStream::Combined).then_some(stream))
}

fn start(query: &LogsQuery) -> ApiResult<Position> {
    let after = query::either(("after", query.after), ("since", query.since))?;
    if query.limit.is_some_and(|limit| !(1..=MOST_ENTRIES).contains(&limit)) {
        return Err(query::refusal("limit", format!("expected a number from 1 to {MOST_ENTRIES}")));
    }
    match (after, query.tail) {
        (Some(_), Some(_)) => {
            Err(ApiError::invalid("query parameters 'after' and 'tail' exclude each other"))
        }
        (None, Some(count)) => Ok(Position::Tail(count)),
        (after, None) => Ok(Position::After(after.unwrap_or_default())),
    }
}

/// The writing of entries after that one.
fn writing(process: &Process, query: &LogsQuery, after: u64, only: Option<ProcessLogsStream>) -> Writing {
    match query.encoding {
        Some(LogEncoding::Text) => Writing::Text(Characters::after(process, after, only)),
        Some(LogEncoding::Base64) | None => Writing::Base64,
    }
}

/// Output as events, up to the end of the process.
struct LogFrames {
    process: Process,
    reader: Reader,
    writing: Writing,
    /// Frames to send before the next step.
    pending: VecDeque<Bytes>,
    over: bool,
}

impl LogFrames {
    fn new(process: Process, reader: Reader, writing: Writing) -> Self {
        let pending = VecDeque::from([sse::opening(reader.cursor())]);
        Self { process, reader, writing, pending, over: false }
    }

    fn take(&mut self, step: &Step<Entry>) {
        match step {
            Step::Entry(entry) => {
                let written = self.writing.write(entry);
                self.pending.push_back(log_frame(&written));
            }
            Step::Gap(gap) => {
                self.finish();
                self.pending.push_back(sse::event("gap", None, &describe::gap(*gap)));
            }
        }
    }

    fn finish(&mut self) {
        self.pending.extend(self.writing.finish().iter().map(log_frame));
    }
}

impl Frames for LogFrames {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(frame) = self.pending.pop_front() {
                return Poll::Ready(Some(frame));
            }
            if self.over {
                return Poll::Ready(None);
            }
            match std::task::ready!(self.reader.poll_step(context)) {
                Some(step) => self.take(&step),
                None => {
                    self.over = true;
                    self.finish();
                    if let Some(ended) = self.process.ended() {
                        self.pending.push_back(sse::event("exit", None, &describe::exit(&ended)));
                    }
                }
            }
        }
    }
}

fn log_frame(entry: &ProcessLogEntry) -> Bytes {
    sse::event("log", Some(entry.sequence), entry)
}
