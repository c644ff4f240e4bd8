//! WebSockets: what is common to all of them, from the handshake to the end.

use crate::problem::ApiResult;
use crate::state::AppState;
use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message as Frame, Utf8Bytes, WebSocket, WebSocketUpgrade};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use http::request::Parts;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// Time that the other side gets to complete the close handshake.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// The half of a socket that reads.
pub(crate) type SocketStream = SplitStream<WebSocket>;

/// Why a socket ends.
pub(crate) enum End {
    /// The client closed it.
    Closed,
    /// The client broke the rules of the connection: say so and close.
    Refused(u16, String),
    /// There is nothing more to write: say so and close.
    Close(u16, String),
    /// The socket is gone.
    Gone,
}

impl From<axum::Error> for End {
    fn from(_: axum::Error) -> Self {
        Self::Gone
    }
}

/// Passes on what the client sends.
pub(crate) trait Incoming: Send {
    /// Reads until the socket ends.
    fn run(self, stream: &mut SocketStream) -> impl Future<Output = End> + Send;
}

/// What a socket sends.
pub(crate) trait Outgoing: Send {
    /// One thing to send, in one or more messages.
    type Item: Send;

    /// Writes what comes before everything else.
    fn open(&mut self, sink: &mut SocketSink) -> impl Future<Output = Result<(), End>> + Send;

    /// Waits for the next item. Cancel-safe.
    fn next(&mut self) -> impl Future<Output = Self::Item> + Send;

    /// Writes an item, or ends the socket.
    fn write(
        &mut self,
        item: Self::Item,
        sink: &mut SocketSink,
    ) -> impl Future<Output = Result<(), End>> + Send;
}

/// The half of a socket that writes.
pub(crate) struct SocketSink(SplitSink<WebSocket, Frame>);

impl SocketSink {
    /// Queues a text message, which must be UTF-8.
    pub(crate) async fn text(&mut self, text: Bytes) -> Result<(), End> {
        let text = Utf8Bytes::try_from(text).map_err(|_| End::Gone)?;
        Ok(self.0.feed(Frame::Text(text)).await?)
    }

    /// Queues a binary message.
    pub(crate) async fn binary(&mut self, bytes: Bytes) -> Result<(), End> {
        Ok(self.0.feed(Frame::Binary(bytes)).await?)
    }

    /// Writes what is queued.
    pub(crate) async fn flush(&mut self) -> Result<(), End> {
        Ok(self.0.flush().await?)
    }

    /// Writes everything that `outgoing` has, and pings, until one of them says why to end.
    async fn pump(&mut self, outgoing: &mut impl Outgoing, heartbeat: Duration) -> Result<(), End> {
        outgoing.open(self).await?;
        self.flush().await?;
        let mut beat = tokio::time::interval_at(Instant::now() + heartbeat, heartbeat);
        loop {
            tokio::select! {
                item = outgoing.next() => outgoing.write(item, self).await?,
                _ = beat.tick() => self.0.feed(Frame::Ping(Bytes::new())).await?,
            }
            self.flush().await?;
        }
    }
}

/// Reads the handshake of a socket whose messages have at most `limit` bytes.
pub(crate) async fn handshake(
    state: &AppState,
    parts: &mut Parts,
    limit: usize,
) -> ApiResult<WebSocketUpgrade> {
    let upgrade = WebSocketUpgrade::from_request_parts(parts, state).await?;
    Ok(upgrade.max_message_size(limit).max_frame_size(limit))
}

/// Serves a socket until one of its halves ends it, and says so to the client. What is left is to [`finish`] it.
pub(crate) async fn serve(
    state: &AppState,
    socket: WebSocket,
    incoming: impl Incoming,
    mut outgoing: impl Outgoing,
) -> (End, SocketStream) {
    let heartbeat = Duration::from_millis(state.hub.limits().heartbeat_ms);
    let (sink, mut stream) = socket.split();
    let mut sink = SocketSink(sink);
    let end = tokio::select! {
        end = incoming.run(&mut stream) => end,
        Err(end) = sink.pump(&mut outgoing, heartbeat) => end,
    };
    if let End::Refused(code, reason) | End::Close(code, reason) = &end {
        let frame = CloseFrame { code: *code, reason: reason.as_str().into() };
        // A socket that does not take it is gone.
        let _ = sink.0.send(Frame::Close(Some(frame))).await;
    }
    (end, stream)
}

/// Reads to the end of a socket after a close frame: the other side's is answered, and ours has time to arrive.
pub(crate) async fn finish(mut stream: SocketStream, end: &End) {
    if !matches!(end, End::Gone) {
        let rest = async { while let Some(Ok(_)) = stream.next().await {} };
        // One that does not answer is gone all the same.
        let _ = tokio::time::timeout(CLOSE_WAIT, rest).await;
    }
}
