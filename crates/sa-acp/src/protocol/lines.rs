//! Reads lines of bounded length.

use sa_jsonrpc::{Line, LineBuffer};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest line that is read, in bytes, without its end: 64 MiB.
pub const MAX_LINE: usize = 64 << 20;

/// How much is asked of the input at once.
const CHUNK: usize = 64 << 10;

/// Capacity that may stay allocated between messages; a buffer that grew beyond it for one long line is given back.
const KEEP: usize = 1 << 20;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub enum InputLine<'a> {
    /// The line as it was written.
    Whole(&'a [u8]),
    /// A line beyond the limit, which was not kept; its length.
    TooLong(u64),
}

/// Cuts a byte stream into lines. Blank lines are passed over, `\r\n` ends a line too, and so does the end of the input.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    lines: LineBuffer,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Creates a reader of lines of up to `limit` bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Self { input, lines: LineBuffer::new(limit) }
    }

    /// Waits until [`LineReader::take`] has a line, or until the input ended (`false`). Cancel-safe.
    pub async fn fill(&mut self) -> io::Result<bool> {
        while !self.lines.has_line() {
            if self.lines.is_finished() {
                return Ok(false);
            }
            if self.input.read_buf(self.lines.spare()).await? == 0 {
                self.lines.finish();
            }
        }
        Ok(true)
    }

    /// The next line among the bytes that have arrived. Never waits.
    pub fn take(&mut self) -> Option<InputLine<'_>> {
        let (end, next) = self.find()?;
        let start = std::mem::replace(&mut self.start, next);
        self.searched = next;
        let length = std::mem::take(&mut self.skipped) + (end - start) as u64;
        if length > self.limit as u64 {
            return Some(InputLine::TooLong(length));
        }
        let line = self.buffer.get(start..end).unwrap_or_default();
        Some(InputLine::Whole(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Returns where the next line that says something ends, and where the one after it starts.
    fn find(&mut self) -> Option<(usize, usize)> {
        loop {
            let unseen = self.buffer.get(self.searched..).unwrap_or_default();
            let (end, next) = match memchr::memchr(b'\n', unseen) {
                Some(offset) => (self.searched + offset, self.searched + offset + 1),
                None if self.ended && (self.start < self.buffer.len() || self.skipped > 0) => {
                    (self.buffer.len(), self.buffer.len())
                }
                None => {
                    self.searched = self.buffer.len();
                    return None;
                }
            };
            let line = self.buffer.get(self.start..end).unwrap_or_default();
            if self.skipped > 0 || !line.iter().all(u8::is_ascii_whitespace) {
                self.searched = end;
                return Some((end, next));
            }
            (self.start, self.searched) = (next, next);
        }
    }

    /// Drops what was taken, and of an overlong line all that has come so far.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start.min(self.buffer.len()));
        self.start = 0;
        if self.buffer.len() > self.limit {
            self.skipped += self.buffer.len() as u64;
            self.buffer.clear();
        }
        self.searched = self.buffer.len();
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(CHUNK);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    async fn lines(input: &[u8], limit: usize) -> Vec<String> {
        let mut reader = LineReader::new(input, limit);
        let mut seen = Vec::new();
        while reader.fill().await.unwrap() {
            while let Some(line) = reader.take() {
                seen.push(match line {
                    InputLine::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    InputLine::TooLong(length) => format!("<{length}>"),
                });
            }
        }
        seen
    }

    #[tokio::test]
    async fn lines_are_cut_at_their_ends() {
        assert_eq!(lines(b"a\r\n\n  \nbc\nd", 10).await, ["a", "bc", "d"]);
        assert_eq!(lines(b"", 10).await, [""; 0]);
        assert_eq!(lines(b"\n\n", 10).await, [""; 0]);
    }

    #[tokio::test]
    async fn an_overlong_line_is_measured_and_the_next_is_whole() {
        assert_eq!(lines(b"12345\n123456\nok\n", 5).await, ["12345", "<6>", "ok"]);
        let long = [b"x".repeat(300_000).as_slice(), b"\nok"].concat();
        assert_eq!(lines(&long, 100_000).await, ["<300000>", "ok"]);
        assert_eq!(lines(&b"y".repeat(7), 5).await, ["<7>"]);
    }
}
