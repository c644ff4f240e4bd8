//! One request in the making.

use crate::http::{Connection, Http, OpenReply, Reply};
use crate::pace::Pace;
use crate::raw::RawConnection;
use crate::wait::DEADLINE;
use anyhow::{Context, Result};
use bytes::Bytes;
use http::Method;
use http_body_util::Full;
use std::fmt;
use std::time::Duration;

/// A request; `Host` and `Authorization` are there unless changed.
#[derive(Debug, Clone)]
pub struct Request {
    http: Http,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
    deadline: Duration,
    receive_buffer: Option<u32>,
    pace: Pace,
}

impl Request {
    pub(crate) fn new(http: Http, method: Method, path: &str) -> Self {
        let mut headers = vec![("host".to_owned(), http.address.to_string())];
        headers
            .extend(http.token.as_ref().map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        Self {
            http,
            method,
            path: path.to_owned(),
            headers,
            body: Bytes::new(),
            deadline: DEADLINE,
            receive_buffer: None,
            pace: Pace::Free,
        }
    }

    /// Sets a header in place of those of the same name.
    pub fn header(self, name: &str, value: &str) -> Self {
        self.without_header(name).also_header(name, value)
    }

    /// Adds a header next to those of the same name.
    pub fn also_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Leaves a header out.
    pub fn without_header(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// Returns the body, as it goes out.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Returns a JSON body, given as text and sent as it is.
    pub fn json(self, text: impl Into<Bytes>) -> Self {
        self.header("content-type", "application/json").body(text)
    }

    /// Sets the deadline of the answer (of `open`: of its head).
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Returns the size of the socket's receive buffer, before the kernel's minimum applies.
    pub fn receive_buffer(mut self, bytes: u32) -> Self {
        self.receive_buffer = Some(bytes);
        self
    }

    /// Sets the speed at which the answer is read from its first byte.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Sends it on a new connection and reads the whole answer.
    pub async fn send(self) -> Result<Reply> {
        Connection::open(&self.http, self.receive_buffer, self.pace).await?.send(self).await
    }

    /// Sends it on a new connection and leaves the body to be read.
    pub async fn open(self) -> Result<OpenReply> {
        Connection::open(&self.http, self.receive_buffer, self.pace).await?.stream(self).await
    }

    /// Sends it and reads nothing at all, not even the status line.
    pub async fn send_and_never_read(self) -> Result<RawConnection> {
        let mut raw = RawConnection::new(self.http.socket(self.receive_buffer).await?);
        raw.write(&self.to_wire()).await?;
        Ok(raw)
    }

    /// Returns the bytes of it.
    pub fn to_wire(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        let mut wire = format!("{head}\r\n").into_bytes();
        wire.extend_from_slice(&self.body);
        wire
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.deadline
    }

    pub(crate) fn into_hyper(self) -> Result<hyper::Request<Full<Bytes>>> {
        let mut request = hyper::Request::builder().method(self.method).uri(self.path);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        request.body(Full::new(self.body)).context("a request that can be sent")
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}
