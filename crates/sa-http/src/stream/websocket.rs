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
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, Interval};

/// Time that the other side gets to complete the close handshake.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// The half of a socket that reads.
pub(crate) type SocketStream = SplitStream<WebSocket>;

/// The reason a socket ends.
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

/// The half of a socket that writes.
pub(crate) struct SocketSink {
    sink: SplitSink<WebSocket, Frame>,
    heartbeat: Interval,
}

impl SocketSink {
    /// Queues a text message, which must be UTF-8.
    pub(crate) async fn text(&mut self, text: Bytes) -> Result<(), End> {
        let text = Utf8Bytes::try_from(text).map_err(|_| End::Gone)?;
        Ok(self.sink.feed(Frame::Text(text)).await?)
    }

    /// Queues a binary message.
    pub(crate) async fn binary(&mut self, bytes: Bytes) -> Result<(), End> {
        Ok(self.sink.feed(Frame::Binary(bytes)).await?)
    }

    /// Writes what is queued.
    pub(crate) async fn flush(&mut self) -> Result<(), End> {
        Ok(self.sink.flush().await?)
    }

    /// Writes what is queued, then waits for what to write next. Pings the client meanwhile. Cancel-safe if `next` is.
    pub(crate) async fn wait_for<T>(&mut self, next: impl Future<Output = T>) -> Result<T, End> {
        let mut next = pin!(next);
        loop {
            self.flush().await?;
            tokio::select! {
                next = next.as_mut() => return Ok(next),
                _ = self.heartbeat.tick() => self.sink.feed(Frame::Ping(Bytes::new())).await?,
            }
        }
    }

    /// Says why the socket ends, unless the client knows.
    pub(crate) async fn close(&mut self, end: &End) {
        if let End::Refused(code, reason) | End::Close(code, reason) = end {
            let frame = CloseFrame { code: *code, reason: reason.as_str().into() };
            // A socket that does not take it is gone.
            let _ = self.sink.send(Frame::Close(Some(frame))).await;
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

/// Splits a socket into its halves.
pub(crate) fn split(state: &AppState, socket: WebSocket) -> (SocketSink, SocketStream) {
    let period = Duration::from_millis(state.options.limits.heartbeat_ms);
    let heartbeat = tokio::time::interval_at(Instant::now() + period, period);
    let (sink, stream) = socket.split();
    (SocketSink { sink, heartbeat }, stream)
}

/// Reads to the end of a socket after a close frame: the other side's is answered, and ours has time to arrive.
pub(crate) async fn finish(mut stream: SocketStream, end: &End) {
    if !matches!(end, End::Gone) {
        let rest = async { while let Some(Ok(_)) = stream.next().await {} };
        // One that does not answer is gone all the same.
        let _ = tokio::time::timeout(CLOSE_WAIT, rest).await;
    }
}
