//! Output that waits to be written to the client.

use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Capacity that may stay allocated between messages.
const KEEP: usize = 1 << 20;

/// Output that is not written yet. The producer stops while it [is full](OutputBuffer::is_full), so a slow client holds the
/// agent back instead of filling its memory.
#[derive(Debug, Default)]
pub struct OutputBuffer {
    bytes: Vec<u8>,
    written: usize,
    unflushed: bool,
}

impl OutputBuffer {
    /// The size at which the buffer is full: 64 KiB, the capacity of a pipe.
    pub const FULL: usize = 64 << 10;

    /// Returns the bytes, to append to.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() - self.written >= Self::FULL
    }

    /// Returns whether nothing is left to write or to flush.
    pub fn is_settled(&self) -> bool {
        self.bytes.is_empty() && !self.unflushed
    }

    pub fn discard(&mut self) {
        *self = Self::default();
    }

    /// Writes some of the pending output. Never returns while there is none. Cancel safe.
    pub async fn write_next(&mut self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        if self.is_settled() {
            return std::future::pending().await;
        }
        self.write_some(output).await
    }

    /// Writes as much as the stream takes with one call, and flushes when that was all. Cancel safe.
    pub async fn write_some(&mut self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let waiting = self.bytes.get(self.written..).unwrap_or_default();
        if !waiting.is_empty() {
            let count = output.write(waiting).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += count;
            self.unflushed = true;
        }
        if self.written == self.bytes.len() {
            self.written = 0;
            self.bytes.clear();
            if self.bytes.capacity() > KEEP {
                self.bytes = Vec::new();
            }
            output.flush().await?;
            self.unflushed = false;
        } else if self.written >= Self::FULL.max(self.bytes.len() / 2) {
            // A reader that is always a little behind must not make the buffer grow.
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_reader_that_is_always_a_little_behind_costs_no_memory() {
        let (mut near, mut far) = tokio::io::duplex(1000);
        let mut buffer = OutputBuffer::default();
        let mut read = 0;
        for _ in 0..10_000 {
            while !buffer.is_full() {
                buffer.buffer().extend_from_slice(&[b'x'; 300]);
            }
            buffer.write_some(&mut near).await.unwrap();
            read += far.read(&mut [0; 1000]).await.unwrap();
            assert!(!buffer.is_settled());
        }
        assert_eq!(read, 10_000_000);
        assert!(buffer.buffer().capacity() < 4 * OutputBuffer::FULL, "{}", buffer.buffer().capacity());
    }
}
