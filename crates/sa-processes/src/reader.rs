//! A reader: a cursor into a process's log.

use crate::log::{Cursor, Dropped, Entry, Read, Stream};
use crate::seats::Seat;
use crate::shared::Shared;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Where a reader begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// After the entry of this number; 0 is the very beginning.
    After(u64),
    /// With the last so many entries that it shows.
    Tail(usize),
    /// With the last so many bytes of output.
    LastBytes(u64),
}

/// What a reader comes upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The next entry.
    Entry(Entry),
    /// Output is missing before what follows.
    Dropped(Dropped),
}

/// Reads a process's log from one point on, at its own pace.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    seat: Arc<Seat>,
    cursor: Cursor,
    only: Option<Stream>,
}

impl Reader {
    pub(crate) fn new(shared: Arc<Shared>, from: Position, only: Option<Stream>) -> Self {
        let (cursor, written) = {
            let log = shared.log();
            let cursor = match from {
                Position::After(sequence) => log.after(sequence),
                Position::Tail(count) => log.tail(count, |entry| shows(only, entry)),
                Position::LastBytes(bytes) => log.last_bytes(bytes),
            };
            (cursor, log.written())
        };
        let seat = shared.seats.take(cursor.offset.unwrap_or(written));
        Self { shared, seat, cursor, only }
    }

    /// The last entry this reader was given, or started after.
    pub fn cursor(&self) -> u64 {
        self.cursor.after
    }

    /// What is next if it is there already.
    pub fn try_step(&mut self) -> Option<Step> {
        loop {
            let read = self.shared.log().read(self.cursor);
            match read {
                Read::Entry(entry) => {
                    let end = entry.offset + entry.data.len() as u64;
                    self.cursor = Cursor { after: entry.sequence, offset: Some(end) };
                    self.moved(end);
                    if shows(self.only, &entry) {
                        return Some(Step::Entry(entry));
                    }
                }
                Read::Dropped(dropped, resume) => {
                    self.cursor = resume;
                    return Some(Step::Dropped(dropped));
                }
                Read::End => return None,
            }
        }
    }

    /// The next step; `None` once the process has ended and everything was read.
    pub fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Option<Step>> {
        self.seat.register(context.waker());
        // Looked up before the log: what is appended before the end is then never missed.
        let ended = self.shared.ended().is_some();
        match self.try_step() {
            Some(step) => Poll::Ready(Some(step)),
            None if ended => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// Waits for the next step.
    pub async fn step(&mut self) -> Option<Step> {
        std::future::poll_fn(|context| self.poll_step(context)).await
    }

    fn moved(&self, position: u64) {
        self.shared.seats.moved(&self.seat, position);
        self.shared.caught_up();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.seats.leave(&self.seat);
        self.shared.caught_up();
    }
}

fn shows(only: Option<Stream>, entry: &Entry) -> bool {
    only.is_none_or(|only| entry.stream == only)
}
