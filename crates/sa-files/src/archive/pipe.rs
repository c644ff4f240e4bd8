//! Bytes between tasks that wait for the network and threads that wait for the disk, a few pieces at a time.

use bytes::{Bytes, BytesMut};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Pieces that may wait.
const PIECES: usize = 4;

/// An item of a pipe.
#[derive(Debug)]
pub(super) enum PipeItem {
    Data(Bytes),
    /// The sender is done, as opposed to gone.
    End,
}

/// Reads what a task sends; a sender that disappears is an error, not the end.
#[derive(Debug)]
pub(super) struct PipeReader {
    pieces: Receiver<PipeItem>,
    present: Bytes,
    ended: bool,
    taken: Arc<AtomicU64>,
}

/// Returns a pipe to a thread, and how many bytes the thread has taken.
pub(super) fn to_thread() -> (Sender<PipeItem>, PipeReader, Arc<AtomicU64>) {
    let (sender, pieces) = channel(PIECES);
    let taken = Arc::new(AtomicU64::new(0));
    let reader = PipeReader { pieces, present: Bytes::new(), ended: false, taken: Arc::clone(&taken) };
    (sender, reader, taken)
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.present.is_empty() && !self.ended {
            match self.pieces.blocking_recv() {
                Some(PipeItem::Data(data)) => self.present = data,
                Some(PipeItem::End) => self.ended = true,
                None => return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the body broke off")),
            }
        }
        let length = self.present.len().min(buffer.len());
        let piece = self.present.split_to(length);
        if let Some(target) = buffer.get_mut(..length) {
            target.copy_from_slice(&piece);
        }
        self.taken.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// Writes for a task to take; fails when nobody does any more.
#[derive(Debug)]
pub(super) struct PipeWriter {
    pieces: Sender<io::Result<Bytes>>,
    gathered: BytesMut,
    chunk: usize,
    is_ended: bool,
}

/// Returns a pipe from a thread, in pieces of about `chunk` bytes.
pub(super) fn from_thread(chunk: usize) -> (PipeWriter, Receiver<io::Result<Bytes>>) {
    let (pieces, receiver) = channel(PIECES);
    (PipeWriter { pieces, gathered: BytesMut::with_capacity(chunk), chunk, is_ended: false }, receiver)
}

/// The other end of a pipe from a thread.
#[derive(Debug)]
pub(super) struct Reader(Sender<io::Result<Bytes>>);

impl Reader {
    pub(super) fn is_gone(&self) -> bool {
        self.0.is_closed()
    }
}

impl PipeWriter {
    pub(super) fn reader(&self) -> Reader {
        Reader(self.pieces.clone())
    }

    fn send(&mut self, piece: io::Result<Bytes>) -> io::Result<()> {
        self.pieces.blocking_send(piece).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Ends the stream as complete.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.flush()?;
        self.is_ended = true;
        Ok(())
    }

    /// Ends the stream with an error.
    pub(super) fn fail(mut self, error: io::Error) {
        self.is_ended = true;
        // A reader that is gone needs no error.
        let _ = self.send(Err(error));
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        if !self.is_ended {
            // Also after a panic: what breaks off must not look complete.
            let _ = self.send(Err(io::Error::other("the archive was not packed to its end")));
        }
    }
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= self.chunk {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.gathered, BytesMut::with_capacity(self.chunk));
        self.send(Ok(piece.freeze()))
    }
}
