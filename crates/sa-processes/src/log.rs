//! The output of one process: entries by sequence number.

use crate::limits::ENTRY_OVERHEAD;
use bytes::Bytes;
use sa_api::{ProcessLogsStream, Timestamp};
use sa_journal::Ring;

/// One piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The sequence number; the first one is 1.
    pub sequence: u64,
    pub stream: ProcessLogsStream,
    /// The time of the read.
    pub timestamp: Timestamp,
    /// The bytes, as they were written.
    pub data: Bytes,
    /// Bytes of output before this one.
    pub(crate) offset: u64,
}

impl sa_journal::Entry for Entry {
    fn first(&self) -> u64 {
        self.sequence
    }

    fn cost(&self) -> usize {
        self.data.len() + ENTRY_OVERHEAD
    }

    fn position_before(&self, record: u64) -> u64 {
        if record > self.sequence { self.offset + self.data.len() as u64 } else { self.offset }
    }
}

/// The start of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// After the entry of this number; 0 is the very beginning.
    After(u64),
    /// With the last so many entries that it shows.
    Tail(usize),
    /// With the last so many bytes of output.
    LastBytes(u64),
}

impl Position {
    /// Returns the number of the entry to start after. One that is not there yet, perhaps of another process, counts as
    /// the newest.
    pub(crate) fn resolve(self, log: &Ring<Entry>, shows: impl Fn(&Entry) -> bool) -> u64 {
        let before = |entry: &Entry| entry.sequence - 1;
        match self {
            Self::After(sequence) => sequence.min(log.newest()),
            Self::Tail(0) => log.newest(),
            Self::Tail(count) => {
                let first = log.entries().rev().filter(|entry| shows(entry)).nth(count - 1);
                first.or_else(|| log.entries().next()).map_or(log.newest(), before)
            }
            Self::LastBytes(bytes) => {
                let from = log.end().saturating_sub(bytes);
                log.entries().find(|entry| entry.offset >= from).map_or(log.newest(), before)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_where_they_should_be() {
        let mut log = Ring::new(10_000);
        let any = |_: &Entry| true;
        assert_eq!(Position::Tail(1).resolve(&log, any), 0);
        for (sequence, stream) in
            (1..).zip([ProcessLogsStream::Stdout, ProcessLogsStream::Stderr, ProcessLogsStream::Stdout])
        {
            let data = Bytes::from_static(b"0123456789");
            log.append(Entry { sequence, stream, timestamp: Timestamp::default(), data, offset: log.end() });
        }
        let stdout = |entry: &Entry| entry.stream == ProcessLogsStream::Stdout;
        assert_eq!(Position::Tail(2).resolve(&log, stdout), 0);
        for (position, after) in [
            (Position::After(2), 2),
            (Position::After(99), 3),
            (Position::Tail(0), 3),
            (Position::Tail(1), 2),
            (Position::Tail(99), 0),
            (Position::LastBytes(0), 3),
            (Position::LastBytes(10), 2),
            (Position::LastBytes(19), 2),
            (Position::LastBytes(1000), 0),
        ] {
            assert_eq!(position.resolve(&log, any), after, "{position:?}");
        }
    }
}
