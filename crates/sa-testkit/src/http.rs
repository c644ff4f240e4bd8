//! HTTP/1.1 over plain TCP: one connection per request unless a test keeps one on purpose.

use crate::pace::{Pace, PaceControl, Paced};
use crate::request::Request;
use crate::wait::within;
use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;

/// A server and the token for it.
#[derive(Debug, Clone)]
pub struct Http {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

impl Http {
    /// For `http://ADDRESS:PORT`.
    pub fn new(base_url: &str, token: Option<&str>) -> Result<Self> {
        let address = base_url.strip_prefix("http://").unwrap_or(base_url).trim_end_matches('/');
        let address = address.parse().with_context(|| format!("{base_url} as an address and a port"))?;
        Ok(Self { address, token: token.map(str::to_owned) })
    }

    /// Returns the same server with another token or none.
    pub fn with_token(&self, token: Option<&str>) -> Self {
        Self { address: self.address, token: token.map(str::to_owned) }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a GET of a path with its query.
    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    pub fn put(&self, path: &str) -> Request {
        self.request(Method::PUT, path)
    }

    pub fn patch(&self, path: &str) -> Request {
        self.request(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    pub fn request(&self, method: Method, path: &str) -> Request {
        Request::new(self.clone(), method, path)
    }

    /// Returns a connection for several requests, one after the other.
    pub async fn connect(&self) -> Result<Connection> {
        Connection::open(self, None, Pace::Free).await
    }

    /// Returns a socket to the server. A small receive buffer makes a reader that stalls felt at once.
    pub(crate) async fn socket(&self, receive_buffer: Option<u32>) -> Result<TcpStream> {
        let socket = if self.address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        if let Some(bytes) = receive_buffer {
            socket.set_recv_buffer_size(bytes)?;
        }
        let stream =
            socket.connect(self.address).await.with_context(|| format!("connecting to {}", self.address))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// One TCP connection; closed when dropped, also in the middle of an answer.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
    pace: PaceControl,
}

struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    pub(crate) async fn open(http: &Http, receive_buffer: Option<u32>, pace: Pace) -> Result<Self> {
        let pace = PaceControl::new(pace);
        let stream = Paced::new(http.socket(receive_buffer).await?, pace.clone());
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let driver = Driver(tokio::spawn(async move {
            // Its errors reach the request that waits, or the body that is read.
            let _closed = connection.await;
        }));
        Ok(Self { sender, driver, pace })
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&mut self, request: Request) -> Result<Reply> {
        let (what, deadline) = (request.to_string(), request.deadline());
        let exchange = async {
            self.sender.ready().await?;
            let answer = self.sender.send_request(request.into_hyper()?).await?;
            let (head, body) = answer.into_parts();
            let body = body.collect().await?.to_bytes();
            anyhow::Ok(Reply { status: head.status.as_u16(), headers: head.headers, body })
        };
        within(&what, deadline, exchange).await?.with_context(|| what)
    }

    /// Sends a request and leaves the body of the answer to be read.
    pub(crate) async fn stream(mut self, request: Request) -> Result<OpenReply> {
        let (what, deadline) = (request.to_string(), request.deadline());
        let head = self.sender.send_request(request.into_hyper()?);
        let (head, body) = within(&what, deadline, head).await?.with_context(|| what)?.into_parts();
        let (status, headers) = (head.status.as_u16(), head.headers);
        Ok(OpenReply { status, headers, body, pace: self.pace, _sender: self.sender, _driver: self.driver })
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    /// Returns a header's value; empty when it is absent or no text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("not JSON: {}", self.text()))
    }

    /// Returns the reply if it has this status; else an error that shows the body.
    pub fn expect_status(self, status: u16) -> Result<Self> {
        if self.status != status {
            bail!("status {} instead of {status}: {}", self.status, self.text());
        }
        Ok(self)
    }
}

/// An answer whose body is still coming. Dropping it closes the connection.
pub struct OpenReply {
    pub status: u16,
    pub headers: HeaderMap,
    body: Incoming,
    pace: PaceControl,
    _sender: SendRequest<Full<Bytes>>,
    _driver: Driver,
}

impl OpenReply {
    /// Returns the next piece of the body; nothing at its proper end. A connection that was cut is an error.
    pub async fn chunk(&mut self, deadline: Duration) -> Result<Option<Bytes>> {
        loop {
            match within("a piece of the body", deadline, self.body.frame()).await? {
                None => return Ok(None),
                Some(frame) => {
                    if let Ok(data) = frame.context("the body was cut")?.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// Reads the rest.
    pub async fn finish(mut self, deadline: Duration) -> Result<Reply> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(deadline).await? {
            body.extend_from_slice(&chunk);
        }
        Ok(Reply { status: self.status, headers: self.headers, body: body.into() })
    }

    /// Returns the control of the connection's reading speed.
    pub fn pace(&self) -> &PaceControl {
        &self.pace
    }
}
