//! The requests of the load generator, as bytes that are built once and sent many times.

use sa_bench::message::write_digits;

/// The text before the URL in the line that a server prints once it listens.
pub(crate) const LISTENING: &str = "listening on ";
/// The token that the daemon is started with.
pub(crate) const TOKEN: &str = "bench";

fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let mut request = head(method, path, headers, body.len() as u64);
    request.extend_from_slice(body.as_bytes());
    request
}

fn head(method: &str, path: &str, headers: &str, length: u64) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {TOKEN}\r\n{headers}content-length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// Returns the head of a PUT whose body follows.
pub(crate) fn put_head(path: &str, length: u64) -> Vec<u8> {
    head("PUT", path, "content-type: application/octet-stream\r\n", length)
}

/// Returns the head of a POST whose body follows.
pub(crate) fn post_head(path: &str, content_type: &str, length: u64) -> Vec<u8> {
    head("POST", path, &format!("content-type: {content_type}\r\n"), length)
}

/// Returns a GET that wants JSON.
pub(crate) fn get(path: &str) -> Vec<u8> {
    request("GET", path, "accept: application/json\r\n", "")
}

/// Returns a GET that opens an event stream, from a cursor if one is given.
pub(crate) fn open_stream(path: &str, last_event_id: Option<u64>) -> Vec<u8> {
    let cursor = last_event_id.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
    request("GET", path, &format!("accept: text/event-stream\r\n{cursor}"), "")
}

pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    request("POST", path, "accept: application/json\r\ncontent-type: application/json\r\n", body)
}

pub(crate) fn delete(path: &str) -> Vec<u8> {
    request("DELETE", path, "", "")
}

/// Returns the path of an ACP server.
pub(crate) fn server_path(id: &str) -> String {
    format!("/v1/acp/{id}")
}

/// Returns a JSON-RPC request without params that matter.
pub(crate) fn call(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{}}}}"#)
}

/// A task for the stand-in agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prompt {
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) size: usize,
    /// Messages a second; 0 is as fast as it goes.
    pub(crate) per_second: u64,
}

impl Prompt {
    /// `count` messages of `size` bytes, numbered from 1, as fast as they go.
    pub(crate) fn flood(count: u64, size: usize) -> Self {
        Self { first: 1, count, size, per_second: 0 }
    }

    /// Returns the number after the last one.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.count
    }

    /// Returns the JSON-RPC request.
    pub(crate) fn json(&self) -> String {
        let pace =
            if self.per_second == 0 { String::new() } else { format!(r#","perSecond":{}"#, self.per_second) };
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{{"first":{},"count":{},"size":{}{pace}}}}}"#,
            self.first, self.count, self.size
        )
    }
}

/// An echo request whose number is changed in place, so that an answer to another request would be noticed.
#[derive(Debug, Clone)]
pub(crate) struct Echo {
    bytes: Vec<u8>,
    at: usize,
    number: u64,
}

const ECHO_DIGITS: usize = 12;

impl Echo {
    /// Returns the bare JSON line, for a pipe.
    pub(crate) fn line() -> Self {
        Self::within(|json| format!("{json}\n").into_bytes())
    }

    /// As a POST to `path`.
    pub(crate) fn post(path: &str) -> Self {
        Self::within(|json| post(path, json))
    }

    fn within(wrap: impl Fn(&str) -> Vec<u8>) -> Self {
        let marker = "#".repeat(ECHO_DIGITS);
        let json = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"bench/echo","params":{{"sessionId":"bench","n":"{marker}"}}}}"#
        );
        let bytes = wrap(&json);
        let at = memchr::memmem::find(&bytes, marker.as_bytes()).unwrap_or(0);
        Self { bytes, at, number: 0 }
    }

    /// Returns the request with a number that was not used before: `start` apart from those of other lanes.
    pub(crate) fn next(&mut self, start: u64) -> &[u8] {
        self.number += 1;
        write_digits(&mut self.bytes[self.at..self.at + ECHO_DIGITS], start * 1_000_000_000 + self.number);
        &self.bytes
    }

    /// Returns whether `answer` carries the number of the last request.
    pub(crate) fn matches(&self, answer: &[u8]) -> bool {
        memchr::memmem::find(answer, &self.bytes[self.at..self.at + ECHO_DIGITS]).is_some()
    }
}
