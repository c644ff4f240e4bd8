//! WebSockets: the stream and the messages to the agent on one connection.

use super::standard::is_initialize;
use super::{attend, name_connection};
use crate::handler::{ApiResult, AppState, Request, Response};
use crate::problem::rpc_error;
use crate::stream::websocket::{self, End, SocketSink, SocketStream};
use axum::extract::ws::{Message as Frame, WebSocketUpgrade, close_code};
use bytes::Bytes;
use futures_util::StreamExt;
use http::Extensions;
use sa_api::Gap;
use sa_hub::{Reader, Server, WhenStopped};
use sa_journal::Step;
use sa_jsonrpc::{ErrorObject, Invalid, Kind, Message, codes};
use sa_relay::{Caller, Part, RecordKind, Sight, SocketView};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::mpsc;

/// The sub-protocol under which frames are events of the transport rather than bare messages.
const EVENTS_PROTOCOL: &str = "sandbox-agent.events.v1";
/// Close code: what comes next is no longer in the log.
const CLOSE_GAP: u16 = 4000;
/// Pause between the last message of an agent and the end of the socket: clients drop what they have not worked
/// through when that comes, and the last messages say how their requests ended.
const CLOSE_DELAY: Duration = Duration::from_millis(500);
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
        let upgrade = websocket::handshake(state, &mut parts, state.options.limits.body_bytes).await?;
        Ok(Self { upgrade: upgrade.protocols([EVENTS_PROTOCOL]), extensions: parts.extensions })
    }
}

/// The role of a socket at its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// One of the clients of a server whose id a client chose.
    Client,
    /// One more client of a connection.
    Joined,
    /// The client that a connection was made for. The connection ends when this socket is closed.
    Opened,
}

/// A socket that comes to a server.
pub(super) struct Joining {
    /// A cursor into the log, taken before anything is started for the socket.
    pub(super) reader: Reader,
    /// The event that it resumes after.
    pub(super) after: Option<u64>,
    pub(super) role: Role,
}

/// Completes the handshake.
pub(super) fn upgrade(state: &AppState, server: Server, joining: Joining, handshake: Handshake) -> Response {
    let Joining { reader, after, role } = joining;
    let Handshake { upgrade, extensions } = handshake;
    let events = upgrade.selected_protocol().is_some();
    attend(&extensions, &reader);
    let resumed_at = after.map(|_| server.describe().last_event_id);
    let id = server.id().clone();
    let (state, alive) = (state.clone(), state.sockets.token());
    let mut response = upgrade.on_upgrade(move |socket| async move {
        let _alive = alive;
        let open = server.open_socket();
        let number = open.number();
        let view = SocketView { socket: number, resumed_at };
        let (answers, own) = mpsc::channel(OWN_ANSWERS);
        let patience = Duration::from_millis(state.options.limits.header_read_ms);
        let incoming = Incoming { server: &server, number, role, patience, answers };
        let mut outgoing = Outgoing { reader, own, server: &server, view, events };
        let (mut sink, mut stream) = websocket::split(&state, socket);
        let end = tokio::select! {
            end = incoming.run(&mut stream) => end,
            Err(end) = outgoing.run(&mut sink) => end,
        };
        sink.close(&end).await;
        drop((outgoing, open));
        let closing = async {
            if role == Role::Opened && matches!(end, End::Closed | End::Refused(..)) {
                state.services.hub.close(server.id()).await;
            }
        };
        tokio::join!(closing, websocket::finish(stream, &end));
    });
    name_connection(&mut response, &id);
    response
}

/// The half of a socket that reads.
struct Incoming<'a> {
    server: &'a Server,
    number: u32,
    role: Role,
    /// Time for the first message of a new connection.
    patience: Duration,
    answers: mpsc::Sender<Vec<u8>>,
}

impl Incoming<'_> {
    /// Passes on the client's messages.
    async fn run(self, stream: &mut SocketStream) -> End {
        let deadline = tokio::time::Instant::now() + self.patience;
        let mut is_open = self.role != Role::Opened;
        loop {
            let next = stream.next();
            let next = match is_open {
                true => next.await,
                false => match tokio::time::timeout_at(deadline, next).await {
                    Ok(next) => next,
                    Err(_) => return refused("initialize did not come in time"),
                },
            };
            let own = match next {
                Some(Ok(Frame::Text(text))) => match self.read(text.into(), is_open) {
                    Ok(message) if !is_open && !is_initialize(&message) => {
                        return refused("the first message must be initialize");
                    }
                    Ok(message) => {
                        is_open = true;
                        self.forward(message).await
                    }
                    Err(own) => Some(own),
                },
                Some(Ok(Frame::Close(_))) => return End::Closed,
                Some(Ok(Frame::Binary(_) | Frame::Ping(_) | Frame::Pong(_))) => None,
                Some(Err(_)) | None => return End::Gone,
            };
            if let Some(own) = own
                && self.answers.send(own).await.is_err()
            {
                return End::Gone;
            }
        }
    }

    /// Reads a message. One that cannot be passed on is answered here.
    fn read(&self, text: Bytes, is_open: bool) -> Result<Message<Bytes>, Vec<u8>> {
        let refusal =
            |code, message: String, id: &str| Err(ErrorObject { code, message, data: None }.response(id));
        match Message::read(text) {
            Ok(message) if is_open && self.role != Role::Client && is_initialize(&message) => {
                let reason = "initialize opens a connection; this one is open already";
                refusal(codes::INVALID_REQUEST, reason.to_owned(), message.id_text())
            }
            Ok(message) => Ok(message),
            Err(invalid @ Invalid::NotJson(_)) => refusal(codes::PARSE_ERROR, invalid.to_string(), "null"),
            Err(invalid) => refusal(codes::INVALID_REQUEST, invalid.to_string(), "null"),
        }
    }

    /// Sends one message to the agent; what cannot be sent and has an id is answered here.
    async fn forward(&self, message: Message<Bytes>) -> Option<Vec<u8>> {
        let waits = (message.shape.kind == Kind::Request).then(|| message.id_text().to_owned());
        match self.server.send(message, WhenStopped::Refuse, Caller::Socket(self.number)).await {
            Ok(()) => None,
            Err(error) => {
                tracing::debug!(server = %self.server.id(), %error, "a message from a socket was not passed on");
                waits.map(|id| rpc_error(&error).response(&id))
            }
        }
    }
}

fn refused(reason: &str) -> End {
    End::Refused(close_code::PROTOCOL, reason.to_owned())
}

/// The half of a socket that writes.
struct Outgoing<'a> {
    reader: Reader,
    own: mpsc::Receiver<Vec<u8>>,
    server: &'a Server,
    view: SocketView,
    events: bool,
}

impl Outgoing<'_> {
    /// Writes what the agent says, and answers of our own.
    async fn run(&mut self, sink: &mut SocketSink) -> Result<Infallible, End> {
        for question in self.reader.take_questions() {
            self.feed(sink, RecordKind::Message.event(), Some(question.sequence), question.data).await?;
        }
        loop {
            tokio::select! {
                step = sink.wait_for(self.reader.step()) => match step? {
                    Some(Step::Entry(part)) => self.write_part(sink, &part).await?,
                    Some(Step::Gap(gap)) => self.write_gap(sink, gap).await?,
                    None => return Err(End::Close(close_code::AWAY, "the ACP server has ended".to_owned())),
                },
                Some(own) = self.own.recv() => {
                    self.feed(sink, RecordKind::Message.event(), None, own.into()).await?;
                }
            }
        }
    }

    async fn write_part(&self, sink: &mut SocketSink, part: &Part) -> Result<(), End> {
        for (index, sequence, record) in part.records() {
            let sight = self.view.sees(sequence, record, |socket| self.server.has_socket(socket));
            let event = match (sight, record.kind) {
                (Sight::Own, RecordKind::Response) => Some(RecordKind::Message),
                (Sight::Own, kind) => Some(kind),
                (Sight::Foreign | Sight::Ambiguous, _) => Some(RecordKind::Response),
                (Sight::Hidden, _) => None,
            };
            match event {
                Some(kind) if self.events || kind == RecordKind::Message => {
                    self.feed(sink, kind.event(), Some(sequence), part.segment.data(index)).await?;
                }
                // A bare message would pass for the answer to this client's own request of that id.
                Some(_) if sight == Sight::Ambiguous => {
                    let reason = format!("gap: event {sequence} may answer this client or another");
                    return Err(End::Close(CLOSE_GAP, reason));
                }
                _ => {}
            }
            if record.kind == RecordKind::Exit && !self.events {
                sink.flush().await?;
                tokio::time::sleep(CLOSE_DELAY).await;
                return Err(End::Close(close_code::ERROR, "the agent has ended".to_owned()));
            }
        }
        Ok(())
    }

    /// A bare message stream has no words for a gap, so it ends there and says why.
    async fn write_gap(&self, sink: &mut SocketSink, gap: sa_journal::Gap) -> Result<(), End> {
        let sa_journal::Gap { oldest, newest, .. } = gap;
        if !self.events {
            return Err(End::Close(CLOSE_GAP, format!("gap: oldest {oldest}, newest {newest}")));
        }
        let gap = serde_json::to_vec(&Gap { oldest, newest }).unwrap_or_default();
        self.feed(sink, "gap", None, gap.into()).await
    }

    async fn feed(
        &self,
        sink: &mut SocketSink,
        event: &str,
        id: Option<u64>,
        data: Bytes,
    ) -> Result<(), End> {
        sink.text(if self.events { envelope(event, id, &data) } else { data }).await
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
