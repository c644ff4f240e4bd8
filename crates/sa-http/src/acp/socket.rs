//! WebSockets: the stream and the messages to the agent on one connection.

use super::{CONNECTION_ID, attend, id_value};
use crate::problem::{ApiError, ApiResult, rpc_error};
use crate::state::AppState;
use axum::extract::ws::{CloseFrame, Message as Frame, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRequestParts, Request};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use http::Extensions;
use sa_api::Gap;
use sa_hub::{Position, Reader, Server, Step};
use sa_jsonrpc::{ErrorObject, Invalid, Kind, Message, codes};
use sa_relay::{Caller, Part, RecordKind, Sight, SocketView};
use std::time::Duration;
use tokio::sync::mpsc;

/// The sub-protocol under which frames are events of the transport rather than bare messages.
const EVENTS_PROTOCOL: &str = "sandbox-agent.events.v1";
/// Close code: what comes next is no longer in the log.
const CLOSE_GAP: u16 = 4000;
/// What lies between the last message of an agent and the end of the socket: clients drop what they have not worked
/// through when that comes, and the last messages say how their requests ended.
const FAREWELL: Duration = Duration::from_millis(500);
/// Answers of our own that may wait to be written; a client that does not read them stops being read.
const OWN_ANSWERS: usize = 16;

/// A request that can become a WebSocket. Looked at before anything is started for it.
pub(super) struct Handshake {
    upgrade: WebSocketUpgrade,
    extensions: Extensions,
}

impl Handshake {
    pub(super) async fn of(state: &AppState, request: Request) -> ApiResult<Self> {
        let (mut parts, _) = request.into_parts();
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, state)
            .await
            .map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        let limit = state.hub.limits().body_bytes;
        let upgrade = upgrade.max_message_size(limit).max_frame_size(limit).protocols([EVENTS_PROTOCOL]);
        Ok(Self { upgrade, extensions: parts.extensions })
    }
}

/// Completes the handshake. `owned`: the connection was made for this socket and ends when its client closes it.
pub(super) async fn upgrade(
    state: &AppState,
    server: Server,
    after: Option<u64>,
    owned: bool,
    handshake: Handshake,
) -> ApiResult<Response> {
    let Handshake { upgrade, extensions } = handshake;
    let events = upgrade.selected_protocol().is_some();
    // From here on everything is in the reader's reach, also what comes before the handshake is through.
    let reader = server.subscribe(after.map_or(Position::Now, Position::After), false).await?;
    attend(&extensions, &reader);
    let resumed_at = after.map(|_| server.describe().last_event_id);
    let id = id_value(server.id());
    let (hub, pause) = (state.hub.clone(), Duration::from_millis(state.hub.limits().heartbeat_ms));
    let alive = state.sockets.token();
    let mut response = upgrade.on_upgrade(move |socket| async move {
        let _alive = alive;
        let open = server.open_socket();
        let number = open.number();
        let view = SocketView { socket: number, resumed_at };
        let (sink, stream) = socket.split();
        let (answers, own) = mpsc::channel(OWN_ANSWERS);
        let outgoing = Outgoing { sink, reader, own, server: server.clone(), view, events, pause };
        let closed = tokio::select! {
            closed = receive(stream, &server, number, answers) => closed,
            () = outgoing.run() => false,
        };
        if owned && closed {
            hub.close(server.id()).await;
        }
    });
    if let Some(id) = id {
        response.headers_mut().insert(CONNECTION_ID, id);
    }
    Ok(response)
}

/// Passes the client's messages on. True if the client closed the socket as it should.
async fn receive(
    mut stream: SplitStream<WebSocket>,
    server: &Server,
    number: u32,
    answers: mpsc::Sender<Vec<u8>>,
) -> bool {
    while let Some(Ok(frame)) = stream.next().await {
        let own = match frame {
            Frame::Text(text) => forward(server, number, text.into()).await,
            Frame::Close(_) => return true,
            Frame::Binary(_) | Frame::Ping(_) | Frame::Pong(_) => None,
        };
        if let Some(own) = own
            && answers.send(own).await.is_err()
        {
            break;
        }
    }
    false
}

/// Sends one message to the agent; what cannot be sent and has an id is answered here.
async fn forward(server: &Server, number: u32, text: Bytes) -> Option<Vec<u8>> {
    let message = match Message::read(text) {
        Ok(message) => message,
        Err(invalid) => {
            let code = if matches!(invalid, Invalid::NotJson(_)) {
                codes::PARSE_ERROR
            } else {
                codes::INVALID_REQUEST
            };
            return Some(ErrorObject { code, message: invalid.to_string(), data: None }.response("null"));
        }
    };
    let waits = (message.shape.kind == Kind::Request).then(|| message.id_text().to_owned());
    match server.send(message, false, Caller::Socket(number)).await {
        Ok(()) => None,
        Err(error) => {
            tracing::debug!(server = %server.id(), %error, "a message from a socket was not passed on");
            waits.map(|id| rpc_error(&error).response(&id))
        }
    }
}

/// The half of a socket that writes.
struct Outgoing {
    sink: SplitSink<WebSocket, Frame>,
    reader: Reader,
    own: mpsc::Receiver<Vec<u8>>,
    server: Server,
    view: SocketView,
    events: bool,
    pause: Duration,
}

/// Why writing ended.
enum End {
    /// Say so and close.
    Close(u16, String),
    /// The socket is gone.
    Gone,
}

impl From<axum::Error> for End {
    fn from(_: axum::Error) -> Self {
        Self::Gone
    }
}

impl Outgoing {
    async fn run(mut self) {
        if let End::Close(code, reason) = self.write_until_end().await {
            let frame = CloseFrame { code, reason: reason.into() };
            let _ = self.sink.send(Frame::Close(Some(frame))).await;
        }
    }

    async fn write_until_end(&mut self) -> End {
        match self.write_all().await {
            Ok(end) | Err(end) => end,
        }
    }

    async fn write_all(&mut self) -> Result<End, End> {
        for question in self.reader.take_questions() {
            self.feed(RecordKind::Message.event(), Some(question.sequence), question.data).await?;
        }
        self.sink.flush().await?;
        let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + self.pause, self.pause);
        loop {
            tokio::select! {
                step = self.reader.step() => match step {
                    Some(Step::Part(part)) => self.write_part(&part).await?,
                    Some(Step::Gap { oldest, newest }) => self.write_gap(oldest, newest).await?,
                    None => return Ok(End::Close(close_code::AWAY, "the ACP server has ended".to_owned())),
                },
                Some(own) = self.own.recv() => self.feed(RecordKind::Message.event(), None, own.into()).await?,
                _ = beat.tick() => self.sink.feed(Frame::Ping(Bytes::new())).await?,
            }
            self.sink.flush().await?;
        }
    }

    async fn write_part(&mut self, part: &Part) -> Result<(), End> {
        for (offset, record) in part.segment.records(part.records.start).iter().enumerate() {
            let index = part.records.start + offset;
            let sequence = part.segment.first + index as u64;
            let sight = self.view.sees(sequence, record, |socket| self.server.has_socket(socket));
            let event = match (sight, record.kind) {
                (Sight::Own, RecordKind::Response) => Some(RecordKind::Message),
                (Sight::Own, kind) => Some(kind),
                (Sight::Foreign | Sight::Ambiguous, _) => Some(RecordKind::Response),
                (Sight::Hidden, _) => None,
            };
            match event {
                Some(kind) if self.events || kind == RecordKind::Message => {
                    self.feed(kind.event(), Some(sequence), part.segment.data(index)).await?;
                }
                // A bare message would pass for the answer to this client's own request of that id.
                Some(_) if sight == Sight::Ambiguous => {
                    let reason = format!("gap: event {sequence} may answer this client or another");
                    return Err(End::Close(CLOSE_GAP, reason));
                }
                _ => {}
            }
            if record.kind == RecordKind::Exit && !self.events {
                self.sink.flush().await?;
                tokio::time::sleep(FAREWELL).await;
                return Err(End::Close(close_code::ERROR, "the agent has ended".to_owned()));
            }
        }
        Ok(())
    }

    /// A bare message stream has no words for a gap, so it ends there and says why.
    async fn write_gap(&mut self, oldest: u64, newest: u64) -> Result<(), End> {
        if !self.events {
            return Err(End::Close(CLOSE_GAP, format!("gap: oldest {oldest}, newest {newest}")));
        }
        let gap = serde_json::to_vec(&Gap { oldest, newest }).unwrap_or_default();
        self.feed("gap", None, gap.into()).await
    }

    async fn feed(&mut self, event: &str, id: Option<u64>, data: Bytes) -> Result<(), End> {
        let text = if self.events { envelope(event, id, &data) } else { data };
        // Messages and events are JSON that was read as such, hence UTF-8.
        let text = Utf8Bytes::try_from(text).map_err(|_| End::Gone)?;
        Ok(self.sink.feed(Frame::Text(text)).await?)
    }
}

/// `{"event":…,"id":…,"data":…}` around data that is JSON already.
fn envelope(event: &str, id: Option<u64>, data: &[u8]) -> Bytes {
    let id = id.map(|id| format!("\"id\":{id},")).unwrap_or_default();
    let mut text = format!("{{\"event\":\"{event}\",{id}\"data\":").into_bytes();
    text.extend_from_slice(data);
    text.push(b'}');
    text.into()
}
