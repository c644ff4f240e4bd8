//! A process's output: what there is, and what comes.

use super::describe;
use super::text::{Characters, Writing};
use crate::handler::{
    ApiError, ApiResult, AppState, HeaderMap, IntoResponse, Json, Response, operation, query,
};
use crate::negotiate::{Media, check_accept};
use crate::query;
use crate::stream::{self, Frames, ResumeQuery, last_event_id, sse};
use bytes::Bytes;
use sa_api::{ProcessLogEntry, ProcessLogsResponse, ProcessLogsStream};
use sa_journal::Step;
use sa_processes::{Entry, Position, Process, Reader};
use serde::Deserialize;
use std::collections::VecDeque;
use std::task::{Context, Poll};

#[query]
pub(crate) struct LogsQuery {
    /// The output to read; all of it by default
    #[param(inline)]
    stream: Option<ProcessLogsStream>,
    /// Start with the last so many entries
    tail: Option<usize>,
    /// `text`: entries that are UTF-8 come as text with `encoding: utf8`, others in base64. `base64`, the default: all
    /// entries in base64
    #[param(inline)]
    encoding: Option<LogEncoding>,
}

#[query]
pub(crate) struct LogsPageQuery {
    /// Start after the entry of this number; 0 by default, excludes `tail`
    after: Option<u64>,
    /// Return at most so many entries; `hasMore` is true if there are newer ones
    #[param(value_type = Option<u64>, maximum = 10000)]
    limit: Option<usize>,
    /// The same as `after`
    since: Option<u64>,
    /// `true`: answer as `/v1/processes/{processId}/logs/sse` does
    follow: Option<bool>,
}

/// The form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogEncoding {
    /// Every entry in base64.
    Base64,
    /// Entries that are UTF-8 as text, others in base64.
    Text,
}

/// Get the output of a process
///
/// Returns entries of output by sequence number, from the oldest. When the log is full the oldest entries are
/// dropped; `gap` reports that. Without `limit` all entries are returned.
///
/// - `Last-Event-ID`: With `follow`: the same as `after`, and stronger than the query
/// - 200: The output
/// - 400: Invalid parameter
#[operation(getProcessLogs: get "/v1/processes/{processId}/logs" -> ProcessLogsResponse)]
pub(crate) async fn logs(
    state: AppState,
    process: Process,
    query: LogsQuery,
    page: LogsPageQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let after = query::either(("after", page.after), ("since", page.since))?;
    if page.follow == Some(true) {
        return respond(&state, process, &query, &headers, (after, None));
    }
    check_accept(&headers, Media::Json)?;
    let (which, only) = wanted(&process, &query);
    let (mut entries, gap) = process.output(start(after, query.tail)?, only);
    let limit = page.limit.unwrap_or(usize::MAX);
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

/// Stream a process's output
///
/// Server-sent events: `log` (ProcessLogEntry) for each entry, with its number in `id`; `gap` (ProcessLogGap) where
/// entries were dropped before they were sent; `exit` (ProcessExit) when the process has ended. The stream ends after
/// `exit`. Without a cursor or `tail` it starts at the oldest entry. A client that was cut off resumes with
/// `Last-Event-ID` or `lastEventId`.
///
/// - `Last-Event-ID`: Start after the entry of this number
/// - 200: The stream
/// - 400: Invalid parameter
#[operation(streamProcessLogs: get "/v1/processes/{processId}/logs/sse" -> ProcessLogEntry as "text/event-stream", ticket)]
pub(crate) async fn follow(
    state: AppState,
    process: Process,
    query: LogsQuery,
    resume: ResumeQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    respond(&state, process, &query, &headers, (None, resume.last_event_id))
}

/// Streams output after an entry: the one of `Last-Event-ID`, or else that of the query.
fn respond(
    state: &AppState,
    process: Process,
    query: &LogsQuery,
    headers: &HeaderMap,
    (after, resumed): (Option<u64>, Option<u64>),
) -> ApiResult<Response> {
    check_accept(headers, Media::EventStream)?;
    let (_, only) = wanted(&process, query);
    let resumed = last_event_id(headers, resumed)?;
    let from = resumed.map_or_else(|| start(after, query.tail), |id| Ok(Position::After(id)))?;
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

fn start(after: Option<u64>, tail: Option<usize>) -> ApiResult<Position> {
    match (after, tail) {
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
        // Without a number: it is a part of an entry that was sent, and a reader must not continue from there.
        let rest = self.writing.finish();
        self.pending.extend(rest.iter().map(|entry| sse::event("log", None, entry)));
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
