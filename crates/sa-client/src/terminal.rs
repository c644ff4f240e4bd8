//! A process's terminal: a WebSocket on a connection of the HTTP client, so that addresses, proxies, certificates and
//! the token are the same as for every other call.

use crate::client::broken_answer;
use crate::{Client, ClientError, Result};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{RequestBuilder, StatusCode, Upgraded};
use sa_api::{ProcessTerminalSize, TerminalClientFrame, TerminalServerFrame};
use std::fmt;
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};
use tokio_tungstenite::tungstenite::{Error, Utf8Bytes};

/// The daemon pings every 15 s; a connection that is silent for this long is dead.
const SILENCE: Duration = Duration::from_secs(60);

/// An event of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalEvent {
    /// Bytes that the program printed.
    Output(Bytes),
    /// Something about the terminal.
    Notice(TerminalServerFrame),
}

/// One connection to a terminal. Dropping it leaves the process alone.
pub struct Terminal {
    socket: WebSocketStream<Upgraded>,
}

impl Terminal {
    pub(crate) async fn open(client: &Client, request: RequestBuilder) -> Result<Self> {
        let key = generate_key();
        let request = request
            .header(CONNECTION, "upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let response = client.send_for(StatusCode::SWITCHING_PROTOCOLS, request).await?;
        let accepted = response.headers().get(SEC_WEBSOCKET_ACCEPT).and_then(|value| value.to_str().ok());
        if accepted != Some(derive_accept_key(key.as_bytes()).as_str()) {
            return Err(ClientError::protocol("this is no WebSocket"));
        }
        let upgraded = response.upgrade().await.map_err(broken_answer)?;
        Ok(Self { socket: WebSocketStream::from_raw_socket(upgraded, Role::Client, None).await })
    }

    /// Returns the next event; none when the daemon closed. Nothing is lost when the call is dropped.
    pub async fn next(&mut self) -> Result<Option<TerminalEvent>> {
        loop {
            let silent = |_| ClientError::protocol("the terminal's connection is dead");
            let message = timeout(SILENCE, self.socket.next()).await.map_err(silent)?;
            match message {
                Some(Ok(Message::Binary(bytes))) => return Ok(Some(TerminalEvent::Output(bytes))),
                Some(Ok(Message::Text(text))) => {
                    let notice = serde_json::from_slice(text.as_bytes());
                    let notice = notice.map_err(|error| ClientError::protocol(error.to_string()))?;
                    return Ok(Some(TerminalEvent::Notice(notice)));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed)) | None => return Ok(None),
                Some(Err(error)) => return Err(broken(&error)),
            }
        }
    }

    /// Types these bytes.
    pub async fn type_in(&mut self, bytes: impl Into<Bytes>) -> Result<()> {
        self.send(Message::Binary(bytes.into())).await
    }

    /// Says how large the terminal is now.
    pub async fn resize(&mut self, size: ProcessTerminalSize) -> Result<()> {
        let frame = TerminalClientFrame::Resize { cols: size.cols, rows: size.rows };
        let text = serde_json::to_string(&frame).unwrap_or_default();
        self.send(Message::Text(Utf8Bytes::from(text))).await
    }

    /// Detaches. The process continues.
    pub async fn close(mut self) -> Result<()> {
        self.socket.close(None).await.map_err(|error| broken(&error))
    }

    async fn send(&mut self, message: Message) -> Result<()> {
        self.socket.send(message).await.map_err(|error| broken(&error))
    }
}

/// Buffers of the connection may hold what was typed: nothing of it.
impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}

fn broken(error: &Error) -> ClientError {
    ClientError::protocol(format!("the terminal's connection broke: {error}"))
}
