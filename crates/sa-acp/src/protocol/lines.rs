//! Reads lines of bounded length.

use sa_jsonrpc::{Line, LineBuffer};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest line that is read, in bytes, without its end: 64 MiB.
pub const MAX_LINE: usize = 64 << 20;

/// Reads a byte stream line by line.
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

    /// Takes the next line among the bytes that have arrived. Never waits.
    pub fn take(&mut self) -> Option<Line<'_>> {
        self.lines.take()
    }
}
