//! What waits to be written to the client.

use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Capacity that may stay allocated between messages.
const KEEP: usize = 1 << 20;

/// Bytes on their way out. Whoever produces them stops while it [is full](Outbound::is_full), so a slow client holds the
/// agent back instead of filling its memory.
#[derive(Debug, Default)]
pub struct Outbound {
    bytes: Vec<u8>,
    written: usize,
    unflushed: bool,
}

impl Outbound {
    /// As much as is gathered before the client has to take some: 64 KiB, what a pipe holds.
    pub const FULL: usize = 64 << 10;

    /// Where to append.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Whether enough is waiting.
    pub fn is_full(&self) -> bool {
        self.bytes.len() - self.written >= Self::FULL
    }

    /// Whether nothing is left to write or to flush.
    pub fn is_settled(&self) -> bool {
        self.bytes.is_empty() && !self.unflushed
    }

    /// Drops what nobody will read any more.
    pub fn discard(&mut self) {
        *self = Self::default();
    }

    /// Writes all that is waiting with one call as far as the stream takes it, and flushes when that was all. May be dropped
    /// at any time without loss.
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
            // More may come in before all is out, again and again; what is out has to go all the same.
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
        let mut outbound = Outbound::default();
        let mut read = 0;
        for _ in 0..10_000 {
            while !outbound.is_full() {
                outbound.buffer().extend_from_slice(&[b'x'; 300]);
            }
            outbound.write_some(&mut near).await.unwrap();
            read += far.read(&mut [0; 1000]).await.unwrap();
            assert!(!outbound.is_settled());
        }
        assert_eq!(read, 10_000_000);
        assert!(outbound.buffer().capacity() < 4 * Outbound::FULL, "{}", outbound.buffer().capacity());
    }
}
