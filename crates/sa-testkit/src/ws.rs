//! A WebSocket client on plain TCP.

use crate::http::{Http, Reply};
use crate::wait::{DEADLINE, within};
use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// A handshake in the making; the token is there unless changed.
#[derive(Debug, Clone)]
pub struct WsRequest {
    http: Http,
    path: String,
    headers: Vec<(String, String)>,
}

impl Http {
    /// Returns a WebSocket on a path with its query.
    pub fn ws(&self, path: &str) -> WsRequest {
        let token = self.token.as_ref().map(|token| ("authorization".to_owned(), format!("Bearer {token}")));
        WsRequest { http: self.clone(), path: path.to_owned(), headers: token.into_iter().collect() }
    }
}

impl WsRequest {
    /// Sets a header in place of one of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self = self.without_header(name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Leaves a header out.
    pub fn without_header(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// Offers subprotocols, best first, separated by commas.
    pub fn subprotocol(self, names: &str) -> Self {
        self.header("sec-websocket-protocol", names)
    }

    /// Connects; a refusal is an error.
    pub async fn connect(self) -> Result<Ws> {
        match self.attempt().await? {
            Ok(ws) => Ok(ws),
            Err(reply) => bail!("no WebSocket but {}: {}", reply.status, reply.text()),
        }
    }

    /// Connects, or reads the answer that refuses.
    pub async fn attempt(self) -> Result<Result<Ws, Reply>> {
        let mut request = format!("ws://{}{}", self.http.address, self.path).into_client_request()?;
        for (name, value) in &self.headers {
            request.headers_mut().append(name.parse::<HeaderName>()?, value.parse::<HeaderValue>()?);
        }
        // The client must not be what limits a message.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let socket = self.http.socket(None).await?;
        let shake = client_async_with_config(request, socket, Some(config));
        match within("the WebSocket handshake", DEADLINE, shake).await? {
            Ok((stream, answer)) => {
                Ok(Ok(Ws { stream, headers: answer.into_parts().0.headers, closed: None }))
            }
            Err(Error::Http(answer)) => {
                let (head, body) = answer.into_parts();
                let body = body.unwrap_or_default().into();
                Ok(Err(Reply { status: head.status.as_u16(), headers: head.headers, body }))
            }
            Err(error) => Err(error).context("the WebSocket handshake"),
        }
    }
}

/// An open WebSocket.
pub struct Ws {
    stream: WebSocketStream<TcpStream>,
    /// The headers of the server's handshake.
    pub headers: HeaderMap,
    closed: Option<(u16, String)>,
}

impl Ws {
    pub async fn send(&mut self, text: &str) -> Result<()> {
        self.stream.send(Message::Text(Utf8Bytes::from(text))).await.context("sending a message")
    }

    pub async fn send_binary(&mut self, bytes: &[u8]) -> Result<()> {
        let message = Message::Binary(Bytes::copy_from_slice(bytes));
        self.stream.send(message).await.context("sending a binary message")
    }

    pub async fn ping(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.send(Message::Ping(Bytes::copy_from_slice(bytes))).await.context("sending a ping")
    }

    /// Returns the next text message; nothing when the server closed. Pings and pongs are passed over.
    pub async fn next(&mut self) -> Result<Option<String>> {
        self.next_within(DEADLINE).await
    }

    /// Returns the next text message before another deadline.
    pub async fn next_within(&mut self, deadline: Duration) -> Result<Option<String>> {
        loop {
            match self.frame_within(deadline).await? {
                Some(Message::Text(text)) => return Ok(Some(text.as_str().to_owned())),
                Some(Message::Ping(_) | Message::Pong(_)) => {}
                Some(other) => bail!("a text message was expected, not {other:?}"),
                None => return Ok(None),
            }
        }
    }

    /// Returns the next text message, which must come.
    pub async fn message(&mut self) -> Result<String> {
        let closed = |ws: &Self| format!("closed instead of the next message: {:?}", ws.closed);
        self.next().await?.with_context(|| closed(self))
    }

    /// Returns the next frame of any kind but close; nothing when the connection is closed.
    pub async fn frame_within(&mut self, deadline: Duration) -> Result<Option<Message>> {
        match within("a WebSocket message", deadline, self.stream.next()).await? {
            None => Ok(None),
            Some(Ok(Message::Close(frame))) => {
                self.closed = Some(frame.map_or((1005, String::new()), |frame| {
                    (frame.code.into(), frame.reason.as_str().to_owned())
                }));
                Ok(None)
            }
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(Error::ConnectionClosed)) => Ok(None),
            Some(Err(error)) => Err(error).context("reading from the WebSocket"),
        }
    }

    /// Returns the code and reason that the server closed with (1005 when it gave none).
    pub fn closed(&self) -> Option<&(u16, String)> {
        self.closed.as_ref()
    }

    pub async fn close(&mut self, code: u16, reason: &str) -> Result<()> {
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        self.stream.close(Some(frame)).await.context("closing the WebSocket")
    }
}
