//! A process's terminal on a WebSocket: binary messages are what is printed and typed, text messages are about it.

use super::encoding::{Encoding, decode};
use super::input::check_length;
use super::lifecycle::check_size;
use super::{Id, describe, find};
use crate::complaint;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::{CloseFrame, Message as Frame, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRequestParts, Query, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use sa_api::{ErrorCode, Problem, ProcessExit, TerminalClientFrame, TerminalServerFrame};
use sa_processes::{Entry, InputError, Position, Process, Reader, Step, TerminalSize};
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::mpsc;

/// What a viewer that comes late is shown of what was printed before, in bytes.
const SCROLLBACK: u64 = 1024 * 1024;
/// Notes to a client that may wait to be written; a client that does not read them stops being read.
const NOTES: usize = 16;
/// What a message may hold beside the input.
const FRAME_MARGIN: usize = 4 * 1024;

/// Query of a terminal's WebSocket.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct TerminalQuery {
    scrollback: Option<u64>,
}

/// A process's terminal as a WebSocket.
#[utoipa::path(
    get, path = "/v1/processes/{processId}/terminal/ws", operation_id = "attachProcessTerminal", tag = "processes",
    summary = "Attach to the terminal of a process",
    description = "The daemon sends a `TerminalServerFrame` as text, `ready` first, and what the program prints as binary messages, beginning \
        with what was printed before. The client sends a `TerminalClientFrame` as text, or input as binary messages. Any number of clients may \
        watch and type. When the process ends, the daemon sends `exit` and closes; when a client leaves, the process continues. Browsers \
        cannot send headers here and use `?ticket=`.",
    params(
        ("processId" = String, Path, description = "The process's id"),
        ("scrollback" = Option<u64>, Query, description = "How many bytes of earlier output to send first; 1048576 by default"),
        ("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for clients that cannot send headers"),
    ),
    responses(
        (status = 101, description = "The WebSocket"),
        (status = 400, description = "Not a WebSocket's handshake", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such process", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The process has no terminal", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn attach(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<TerminalQuery>, QueryRejection>,
    request: Request,
) -> ApiResult<Response> {
    let (process, Query(query)) = (find(&state, id)?, query?);
    if !process.has_terminal() {
        let detail = "the process has no terminal: it was not created with tty";
        return Err(ApiError::new(ErrorCode::Conflict, detail));
    }
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &state).await?;
    // Input in base64 is longer by a third.
    let limit = state.processes.config().max_input_bytes_per_request.saturating_mul(2) + FRAME_MARGIN;
    let upgrade = upgrade.max_message_size(limit).max_frame_size(limit);
    let reader = process.reader(Position::LastBytes(query.scrollback.unwrap_or(SCROLLBACK)), None);
    let alive = state.sockets.token();
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _alive = alive;
        let (sink, stream) = socket.split();
        let (notes, own) = mpsc::channel(NOTES);
        let pause = Duration::from_millis(state.hub.limits().heartbeat_ms);
        let viewer = Viewer { sink, reader, process: process.clone(), own, pause };
        tokio::select! {
            () = receive(stream, &state, &process, notes) => {}
            () = viewer.run() => {}
        }
    }))
}

/// What the half that reads tells the half that writes.
enum Note {
    /// Tell the client that something was refused.
    Refused(String),
    /// The client asked to leave.
    Leave,
}

/// Passes on what the client sends, until it is gone.
async fn receive(
    mut stream: SplitStream<WebSocket>,
    state: &AppState,
    process: &Process,
    notes: mpsc::Sender<Note>,
) {
    while let Some(Ok(frame)) = stream.next().await {
        let outcome = match frame {
            Frame::Text(text) => obey(state, process, text.as_str()).await,
            Frame::Binary(bytes) => type_in(state, process, bytes).await.map(|()| None),
            // Its answer goes out while what comes after it is waited for.
            Frame::Close(_) | Frame::Ping(_) | Frame::Pong(_) => Ok(None),
        };
        let note = outcome.unwrap_or_else(|error| Some(Note::Refused(error.0.detail)));
        if let Some(note) = note
            && notes.send(note).await.is_err()
        {
            return;
        }
    }
}

async fn obey(state: &AppState, process: &Process, text: &str) -> ApiResult<Option<Note>> {
    let frame = complaint::read(text.as_bytes()).map_err(ApiError::invalid)?;
    match frame {
        TerminalClientFrame::Input { data, encoding } => {
            let bytes = decode(data, encoding.as_deref(), Encoding::Text)?;
            type_in(state, process, bytes).await.map(|()| None)
        }
        TerminalClientFrame::Resize { cols, rows } => {
            process.resize(check_size(TerminalSize { columns: cols, rows })?).await?;
            Ok(None)
        }
        TerminalClientFrame::Close => Ok(Some(Note::Leave)),
    }
}

async fn type_in(state: &AppState, process: &Process, bytes: Bytes) -> ApiResult<()> {
    check_length(state, &bytes)?;
    match process.input_patiently(bytes, false).await {
        // The client is about to learn that anyway.
        Ok(()) | Err(InputError::Ended) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The half of a socket that writes.
struct Viewer {
    sink: SplitSink<WebSocket, Frame>,
    reader: Reader,
    process: Process,
    own: mpsc::Receiver<Note>,
    pause: Duration,
}

impl Viewer {
    async fn run(mut self) {
        // A socket that cannot be written to is gone, which is all there is to say about it.
        let _gone = self.show().await;
    }

    async fn show(&mut self) -> Result<(), axum::Error> {
        let process_id = self.process.id().to_owned();
        self.tell(&TerminalServerFrame::Ready { process_id }).await?;
        self.show_what_was().await?;
        self.sink.flush().await?;
        let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + self.pause, self.pause);
        loop {
            tokio::select! {
                step = self.reader.step() => match step {
                    Some(step) => self.show_step(step).await?,
                    None => return self.part().await,
                },
                Some(note) = self.own.recv() => match note {
                    Note::Refused(message) => self.tell(&TerminalServerFrame::Error { message }).await?,
                    Note::Leave => return self.close("as you wish").await,
                },
                _ = beat.tick() => self.sink.feed(Frame::Ping(Bytes::new())).await?,
            }
            self.sink.flush().await?;
        }
    }

    /// What was printed before. When its beginning is missing it starts with a whole line, so that it does not start
    /// in the middle of a character or of a sequence that steers the terminal.
    async fn show_what_was(&mut self) -> Result<(), axum::Error> {
        let mut cut = self.reader.cursor() > 0;
        while let Some(step) = self.reader.try_step() {
            let step = match step {
                Step::Entry(entry) if cut => {
                    cut = false;
                    Step::Entry(from_whole_line(entry))
                }
                step => step,
            };
            self.show_step(step).await?;
        }
        Ok(())
    }

    async fn show_step(&mut self, step: Step) -> Result<(), axum::Error> {
        match step {
            Step::Entry(entry) if entry.data.is_empty() => Ok(()),
            Step::Entry(entry) => self.sink.feed(Frame::Binary(entry.data)).await,
            Step::Dropped(dropped) => {
                let bytes = dropped.bytes.map_or("some".to_owned(), |bytes| bytes.to_string());
                let message = format!("{bytes} bytes of output were dropped: they were not read in time");
                self.tell(&TerminalServerFrame::Error { message }).await
            }
        }
    }

    /// Says how the process ended.
    async fn part(&mut self) -> Result<(), axum::Error> {
        if let Some(ended) = self.process.ended() {
            let ProcessExit { exit_code, signal, oom_killed } = describe::exit(&ended);
            self.tell(&TerminalServerFrame::Exit { exit_code, signal, oom_killed }).await?;
        }
        self.close("the process has ended").await
    }

    async fn close(&mut self, reason: &'static str) -> Result<(), axum::Error> {
        let frame = CloseFrame { code: close_code::NORMAL, reason: reason.into() };
        self.sink.send(Frame::Close(Some(frame))).await
    }

    async fn tell(&mut self, frame: &TerminalServerFrame) -> Result<(), axum::Error> {
        let text = serde_json::to_string(frame).unwrap_or_default();
        self.sink.feed(Frame::Text(Utf8Bytes::from(text))).await
    }
}

fn from_whole_line(mut entry: Entry) -> Entry {
    if let Some(end) = entry.data.iter().position(|&byte| byte == b'\n') {
        entry.data = entry.data.slice(end + 1..);
    }
    entry
}
