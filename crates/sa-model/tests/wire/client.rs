//! A client that sees the bytes: one connection per request, chunks taken apart by hand.

use sa_model::ModelServer;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Timeout of a test for bytes.
const DEADLINE: Duration = Duration::from_secs(20);

/// An answer as it came.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
    /// Set if the body came to its end.
    pub(crate) whole: bool,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The data of every event that is JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }
}

/// A connection on which a request was sent.
pub(crate) fn open(server: &ModelServer, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

/// Everything that comes until the connection ends, however it ends.
pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error} after {}", String::from_utf8_lossy(&bytes)),
    }
    let text = String::from_utf8(bytes).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap();
    let head = head.to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let (body, whole) =
        if head.contains("transfer-encoding: chunked") { unchunked(rest) } else { (rest.to_owned(), true) };
    Answer { status, head, body, whole }
}

fn unchunked(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        body.push_str(after.get(..size).unwrap_or(after));
        rest = after.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}

pub(crate) fn post(server: &ModelServer, path: &str, body: &Value) -> Answer {
    read(open(server, "POST", path, "content-type: application/json\r\n", &body.to_string()))
}

/// Leaves a connection before its answer.
pub(crate) fn leave(stream: TcpStream) {
    stream.shutdown(Shutdown::Both).unwrap();
}

pub(crate) const MESSAGES: &str = "/v1/messages?beta=true";

/// A request of the Messages API with this prompt.
pub(crate) fn message(prompt: &str) -> Value {
    json!({"model": "m", "stream": true, "max_tokens": 100, "messages": [{"role": "user", "content": prompt}]})
}

/// The text that an answer of the Messages API says.
pub(crate) fn said(answer: &Answer) -> String {
    answer.events().iter().filter_map(|event| event["delta"]["text"].as_str()).collect()
}
