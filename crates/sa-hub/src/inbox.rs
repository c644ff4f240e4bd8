//! The queue of messages on their way into an agent's standard input.

use bytes::Bytes;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use tokio::net::unix::pipe;

/// Messages that the agent has not read yet. The caller of `push` bounds their size.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    queue: VecDeque<Bytes>,
    bytes: usize,
}

/// The most pieces that one write gathers.
const GATHER: usize = 64;

impl Inbox {
    /// Queues one message as a line. Line breaks can only be white space between a message's tokens, but a line
    /// must hold none.
    pub(crate) fn push(&mut self, message: Bytes) {
        let line = if memchr::memchr2(b'\n', b'\r', &message).is_some() {
            let flat = message.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte });
            flat.collect::<Vec<u8>>().into()
        } else {
            message
        };
        self.bytes += line.len() + 1;
        self.queue.push_back(line);
        self.queue.push_back(Bytes::from_static(b"\n"));
    }

    /// Returns the number of bytes that wait.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Writes what the pipe takes; everything that has gathered goes in one call.
    pub(crate) fn write_to(&mut self, pipe: &pipe::Sender) -> io::Result<()> {
        while !self.queue.is_empty() {
            let slices: Vec<IoSlice<'_>> =
                self.queue.iter().take(GATHER).map(|piece| IoSlice::new(piece)).collect();
            match pipe.try_write_vectored(&slices) {
                Ok(written) => self.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn advance(&mut self, mut written: usize) {
        self.bytes -= written;
        while let Some(front) = self.queue.front_mut() {
            if front.len() > written {
                let _ = front.split_to(written);
                return;
            }
            written -= front.len();
            self.queue.pop_front();
        }
    }
}
