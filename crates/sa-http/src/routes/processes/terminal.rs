//! A process's terminal on a WebSocket: binary messages are what is printed and typed, text messages are about it.

use super::describe;
use super::encoding::{Encoding, decode};
use super::input::check_length;
use super::lifecycle::check_size;
use crate::complaint;
use crate::handler::{ApiError, ApiResult, AppState, ErrorCode, Request, Response, operation, query};
use crate::stream::websocket::{self, End, SocketSink, SocketStream};
use axum::extract::ws::{Message as Frame, close_code};
use bytes::Bytes;
use futures_util::StreamExt;
use sa_api::{ProcessExit, TerminalClientFrame, TerminalServerFrame};
use sa_journal::Step;
use sa_processes::{AfterInput, Entry, InputError, Position, Process, Reader, TerminalSize};
use std::convert::Infallible;
use tokio::sync::mpsc;

/// Earlier output that a new viewer gets, in bytes.
const SCROLLBACK: u64 = 1024 * 1024;
/// Refusals that may wait to be written; a client that does not read them stops being read.
const REFUSALS: usize = 16;
/// Size of a message apart from the input.
const FRAME_MARGIN: usize = 4 * 1024;

#[query]
pub(crate) struct TerminalQuery {
    /// Bytes of earlier output to send first; 1048576 by default
    scrollback: Option<u64>,
}

/// Attach to the terminal of a process
///
/// The daemon sends a `TerminalServerFrame` as text, `ready` first, and what the program prints as binary messages,
/// beginning with what was printed before. The client sends a `TerminalClientFrame` as text, or input as binary
/// messages. Any number of clients may watch and type. When the process ends, the daemon sends `exit` and closes;
/// when a client leaves, the process continues. Browsers cannot send headers here and use `?ticket=`.
///
/// - 101: The WebSocket
/// - 400: Not a WebSocket's handshake
/// - 409: The process has no terminal
#[operation(attachProcessTerminal: get "/v1/processes/{processId}/terminal/ws", ticket)]
pub(crate) async fn attach(
    state: AppState,
    process: Process,
    query: TerminalQuery,
    request: Request,
) -> ApiResult<Response> {
    if !process.has_terminal() {
        let detail = "the process has no terminal: it was not created with tty";
        return Err(ApiError::new(ErrorCode::Conflict, detail));
    }
    let (mut parts, _) = request.into_parts();
    // Input in base64 is longer by a third.
    let most = state.services.processes.config().max_input_bytes_per_request;
    let upgrade = websocket::handshake(&state, &mut parts, most.saturating_mul(2) + FRAME_MARGIN).await?;
    let reader = process.reader(Position::LastBytes(query.scrollback.unwrap_or(SCROLLBACK)), None);
    let alive = state.sockets.token();
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _alive = alive;
        let (sender, refusals) = mpsc::channel(REFUSALS);
        let incoming = Typing { state: &state, process: &process, refusals: sender };
        let mut outgoing = Viewer { reader, process: &process, refusals };
        let (mut sink, mut stream) = websocket::split(&state, socket);
        let end = tokio::select! {
            end = incoming.run(&mut stream) => end,
            Err(end) = outgoing.run(&mut sink) => end,
        };
        sink.close(&end).await;
        drop(outgoing);
        websocket::finish(stream, &end).await;
    }))
}

/// The half of a socket that reads.
struct Typing<'a> {
    state: &'a AppState,
    process: &'a Process,
    /// Reasons why something was refused.
    refusals: mpsc::Sender<String>,
}

impl Typing<'_> {
    /// Passes on what the client sends.
    async fn run(self, stream: &mut SocketStream) -> End {
        loop {
            let outcome = match stream.next().await {
                Some(Ok(Frame::Text(text))) => obey(self.state, self.process, text.as_str()).await,
                Some(Ok(Frame::Binary(bytes))) => {
                    type_in(self.state, self.process, bytes).await.map(|()| None)
                }
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => continue,
                Some(Ok(Frame::Close(_))) => return End::Closed,
                Some(Err(_)) | None => return End::Gone,
            };
            let refusal = match outcome {
                Ok(None) => continue,
                Ok(Some(end)) => return end,
                Err(error) => error.0.detail,
            };
            if self.refusals.send(refusal).await.is_err() {
                return End::Gone;
            }
        }
    }
}

async fn obey(state: &AppState, process: &Process, text: &str) -> ApiResult<Option<End>> {
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
        TerminalClientFrame::Close => Ok(Some(closed("as you wish"))),
    }
}

fn closed(reason: &str) -> End {
    End::Close(close_code::NORMAL, reason.to_owned())
}

async fn type_in(state: &AppState, process: &Process, bytes: Bytes) -> ApiResult<()> {
    check_length(state, &bytes)?;
    match process.input_patiently(bytes, AfterInput::Open).await {
        // The client is about to learn that anyway.
        Ok(()) | Err(InputError::Ended) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The half of a socket that writes.
struct Viewer<'a> {
    reader: Reader,
    process: &'a Process,
    refusals: mpsc::Receiver<String>,
}

impl Viewer<'_> {
    /// Writes the output, and what is to be said about it.
    async fn run(&mut self, sink: &mut SocketSink) -> Result<Infallible, End> {
        let process_id = self.process.id().to_owned();
        report(sink, &TerminalServerFrame::Ready { process_id }).await?;
        self.show_scrollback(sink).await?;
        loop {
            tokio::select! {
                step = sink.wait_for(self.reader.step()) => match step? {
                    Some(step) => show(sink, step).await?,
                    None => {
                        if let Some(ended) = self.process.ended() {
                            let ProcessExit { exit_code, signal, oom_killed } = describe::exit(&ended);
                            report(sink, &TerminalServerFrame::Exit { exit_code, signal, oom_killed }).await?;
                        }
                        return Err(closed("the process has ended"));
                    }
                },
                Some(message) = self.refusals.recv() => {
                    report(sink, &TerminalServerFrame::Error { message }).await?;
                }
            }
        }
    }

    /// Writes the output that was there before. If its beginning is missing it starts with a whole line, not in the
    /// middle of a character or of a control sequence.
    async fn show_scrollback(&mut self, sink: &mut SocketSink) -> Result<(), End> {
        let mut cut = self.reader.cursor() > 0;
        while let Some(step) = self.reader.try_step() {
            let step = match step {
                Step::Entry(entry) if std::mem::take(&mut cut) => Step::Entry(from_whole_line(entry)),
                step => step,
            };
            show(sink, step).await?;
        }
        Ok(())
    }
}

async fn show(sink: &mut SocketSink, step: Step<Entry>) -> Result<(), End> {
    match step {
        Step::Entry(entry) if entry.data.is_empty() => Ok(()),
        Step::Entry(entry) => sink.binary(entry.data).await,
        Step::Gap(gap) => {
            let bytes = gap.lost.map_or("some".to_owned(), |bytes| bytes.to_string());
            let message = format!("{bytes} bytes of output were dropped: they were not read in time");
            report(sink, &TerminalServerFrame::Error { message }).await
        }
    }
}

async fn report(sink: &mut SocketSink, frame: &TerminalServerFrame) -> Result<(), End> {
    sink.text(serde_json::to_vec(frame).unwrap_or_default().into()).await
}

fn from_whole_line(mut entry: Entry) -> Entry {
    if let Some(end) = entry.data.iter().position(|&byte| byte == b'\n') {
        entry.data = entry.data.slice(end + 1..);
    }
    entry
}
