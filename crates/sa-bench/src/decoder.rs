//! An incremental HTTP/1.1 response decoder. It takes bytes as they come, hands the body on as slices of what was
//! given, and keeps nothing but the head, so that one read buffer serves any number of connections.

use std::io;

/// Longest response head accepted.
const HEAD_BYTES: usize = 64 * 1024;

/// Decodes one response, then the next after [`Decoder::restart`].
#[derive(Debug, Default)]
pub struct Decoder {
    state: State,
    head: Vec<u8>,
    status: u16,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    /// A body of known length with this many bytes to come.
    Length(u64),
    /// Within the line that gives a chunk's size.
    ChunkSize {
        size: u64,
        in_extension: bool,
    },
    ChunkData(u64),
    /// Bytes of the line end after a chunk that are still to come.
    ChunkEnd(u8),
    /// After the last chunk; `line` counts the bytes of the current trailer line.
    Trailer {
        line: usize,
    },
    /// A body that ends with the connection.
    UntilClose,
    Done,
}

impl Decoder {
    /// Forgets the last response and expects the next one's head.
    pub fn restart(&mut self) {
        self.state = State::Head;
        self.head.clear();
        self.status = 0;
    }

    /// Returns the status, once the head is complete.
    pub fn status(&self) -> Option<u16> {
        (self.state != State::Head).then_some(self.status)
    }

    /// Returns whether the response is complete.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Returns whether the connection may be closed here without cutting a response short.
    pub fn may_close(&self) -> bool {
        matches!(self.state, State::UntilClose | State::Done)
    }

    /// Takes what was read from the socket and gives the body's bytes in it to `sink`.
    pub fn push(&mut self, mut input: &[u8], mut sink: impl FnMut(&[u8])) -> io::Result<()> {
        while !input.is_empty() {
            input = match self.state {
                State::Head => self.push_head(input)?,
                State::Length(left) | State::ChunkData(left) => {
                    let take = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
                    let (body, rest) = input.split_at(take);
                    sink(body);
                    self.consume(left - take as u64);
                    rest
                }
                State::UntilClose => {
                    sink(input);
                    &[]
                }
                State::Done => return Err(invalid("bytes after the end of a response")),
                framing => {
                    self.state = step(framing, input[0])?;
                    &input[1..]
                }
            };
        }
        Ok(())
    }

    fn consume(&mut self, left: u64) {
        self.state = match (self.state, left) {
            (State::Length(_), 0) => State::Done,
            (State::Length(_), left) => State::Length(left),
            (_, 0) => State::ChunkEnd(2),
            (_, left) => State::ChunkData(left),
        };
    }

    /// Gathers the head; returns what follows it.
    fn push_head<'a>(&mut self, input: &'a [u8]) -> io::Result<&'a [u8]> {
        let before = self.head.len();
        self.head.extend_from_slice(input);
        // The empty line may straddle two reads.
        let from = before.saturating_sub(3);
        let Some(at) = memchr::memmem::find(&self.head[from..], b"\r\n\r\n") else {
            if self.head.len() > HEAD_BYTES {
                return Err(invalid("a response head that does not end"));
            }
            return Ok(&[]);
        };
        let end = from + at + 4;
        self.head.truncate(end);
        (self.status, self.state) = parse_head(&self.head)?;
        Ok(&input[end - before..])
    }
}

/// One byte of chunked framing.
fn step(state: State, byte: u8) -> io::Result<State> {
    Ok(match (state, byte) {
        (State::ChunkSize { size: 0, .. }, b'\n') => State::Trailer { line: 0 },
        (State::ChunkSize { size, .. }, b'\n') => State::ChunkData(size),
        (State::ChunkSize { size, .. }, b'\r' | b';') => State::ChunkSize { size, in_extension: true },
        (State::ChunkSize { in_extension: true, .. }, _) => state,
        (State::ChunkSize { size, .. }, digit) => {
            let digit =
                char::from(digit).to_digit(16).ok_or_else(|| invalid("a chunk size that is no number"))?;
            let size = size.checked_mul(16).ok_or_else(|| invalid("a chunk size out of range"))?;
            State::ChunkSize { size: size + u64::from(digit), in_extension: false }
        }
        (State::ChunkEnd(1), b'\n') => State::ChunkSize { size: 0, in_extension: false },
        (State::ChunkEnd(2), b'\r') => State::ChunkEnd(1),
        (State::Trailer { line: 0 }, b'\n') => State::Done,
        (State::Trailer { .. }, b'\n') => State::Trailer { line: 0 },
        (State::Trailer { .. }, b'\r') => state,
        (State::Trailer { line }, _) => State::Trailer { line: line + 1 },
        _ => return Err(invalid("a chunk without its line end")),
    })
}

fn parse_head(head: &[u8]) -> io::Result<(u16, State)> {
    let head = std::str::from_utf8(head).map_err(|_| invalid("a response head that is not text"))?;
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .filter(|line| line.starts_with("HTTP/1.1 "))
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|status| status.parse().ok())
        .ok_or_else(|| invalid("no HTTP/1.1 status line"))?;
    let mut state = State::UntilClose;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse().map_err(|_| invalid("a content length that is no number"))?;
            state = if length == 0 { State::Done } else { State::Length(length) };
        } else if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            state = State::ChunkSize { size: 0, in_extension: false };
        }
    }
    if status == 204 {
        state = State::Done;
    }
    Ok((status, state))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Decodes `response` cut at every position; each cut must give the same.
    fn check(response: &[u8], status: u16, body: &[u8]) {
        for cut in 0..=response.len() {
            let mut decoder = Decoder::default();
            let mut got = Vec::new();
            decoder.push(&response[..cut], |part| got.extend_from_slice(part)).unwrap();
            assert!(cut == response.len() || !decoder.is_done(), "done too early at {cut}");
            decoder.push(&response[cut..], |part| got.extend_from_slice(part)).unwrap();
            assert_eq!(decoder.status(), Some(status));
            assert_eq!(got, body);
            assert!(decoder.is_done());
        }
    }

    #[test]
    fn every_cut_of_a_response_decodes_to_the_same() {
        check(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello");
        check(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n", 202, b"");
        check(b"HTTP/1.1 204 No Content\r\ndate: x\r\n\r\n", 204, b"");
        check(
            b"HTTP/1.1 502 Bad\r\ntransfer-encoding: chunked\r\n\r\n5;a=b\r\nhel\r\n\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nX: y\r\n\r\n",
            502,
            b"hel\r\nabcdefghijklmnopqrstuvwxyz",
        );
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for bad in [
            &b"SSH-2.0-x\r\n\r\n"[..],
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxy\r\n",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc",
            b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab",
        ] {
            assert!(Decoder::default().push(bad, |_| {}).is_err());
        }
    }
}
