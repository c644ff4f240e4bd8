//! Input on its way into a process. How much may wait is bounded by the room that each piece holds until it is written.

use bytes::Bytes;
use std::collections::VecDeque;
use std::io;
use tokio::sync::OwnedSemaphorePermit;

/// The input of one caller.
#[derive(Debug)]
pub(crate) struct QueuedInput {
    pub(crate) bytes: Bytes,
    /// Given back when it is written.
    pub(crate) _room: OwnedSemaphorePermit,
}

/// Pieces that the process has not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Input {
    queue: VecDeque<QueuedInput>,
    /// Set if the input ends after what is queued.
    last: bool,
}

impl Input {
    pub(crate) fn push(&mut self, piece: QueuedInput) {
        if !piece.bytes.is_empty() {
            self.queue.push_back(piece);
        }
    }

    /// Notes that no more will be queued.
    pub(crate) fn finish(&mut self) {
        self.last = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns whether everything was written and no more will come.
    pub(crate) fn is_over(&self) -> bool {
        self.last && self.queue.is_empty()
    }

    /// Returns whether more may be queued.
    pub(crate) fn is_open(&self) -> bool {
        !self.last
    }

    /// Forgets what waits and takes no more.
    pub(crate) fn give_up(&mut self) {
        self.queue.clear();
        self.last = true;
    }

    /// Writes what is taken. An error other than "not just now" means that no more ever will be.
    pub(crate) fn write(&mut self, try_write: impl Fn(&[u8]) -> io::Result<usize>) -> io::Result<()> {
        while let Some(piece) = self.queue.front_mut() {
            match try_write(&piece.bytes) {
                Ok(written) => {
                    let _ = piece.bytes.split_to(written.min(piece.bytes.len()));
                    if piece.bytes.is_empty() {
                        self.queue.pop_front();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
