//! The output of one process: entries by sequence, bounded in bytes. The oldest leave first, and whoever still wanted
//! them is told.

use crate::limits::ENTRY_OVERHEAD;
use bytes::Bytes;
use std::collections::VecDeque;

/// Where output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// The terminal, where the two are one.
    Terminal,
}

/// One piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number; the first one is 1.
    pub sequence: u64,
    /// Where it came from.
    pub stream: Stream,
    /// When it was read, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// The bytes, as they were written.
    pub data: Bytes,
    /// Bytes of output before this one.
    pub(crate) offset: u64,
}

/// What a cursor missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// The oldest entry that is left; reading goes on with it.
    pub oldest: u64,
    /// The newest entry.
    pub newest: u64,
    /// How many bytes of output are gone in between, where that is known.
    pub bytes: Option<u64>,
}

/// A place in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cursor {
    /// The last entry that was seen.
    pub(crate) after: u64,
    /// Bytes of output up to there, where that is known.
    pub(crate) offset: Option<u64>,
}

/// What is next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Read {
    Entry(Entry),
    /// Something is missing; reading goes on at the cursor.
    Dropped(Dropped, Cursor),
    End,
}

/// The log itself.
#[derive(Debug)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
    limit: usize,
    cost: usize,
    newest: u64,
    written: u64,
}

impl Log {
    pub(crate) fn new(limit: usize) -> Self {
        Self { entries: VecDeque::new(), limit, cost: 0, newest: 0, written: 0 }
    }

    /// Adds a piece; the newest always stays, however large it is.
    pub(crate) fn append(&mut self, stream: Stream, timestamp_ms: u64, data: Bytes) {
        self.newest += 1;
        self.cost += cost(&data);
        let offset = self.written;
        self.written += data.len() as u64;
        self.entries.push_back(Entry { sequence: self.newest, stream, timestamp_ms, data, offset });
        while self.cost > self.limit && self.entries.len() > 1 {
            if let Some(oldest) = self.entries.pop_front() {
                self.cost -= cost(&oldest.data);
            }
        }
    }

    /// What it costs in memory.
    pub(crate) fn cost(&self) -> usize {
        self.cost
    }

    /// What it may cost.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes of output so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// What comes after the cursor.
    pub(crate) fn read(&self, cursor: Cursor) -> Read {
        let Some(oldest) = self.entries.front() else { return Read::End };
        if cursor.after + 1 < oldest.sequence {
            let bytes = cursor.offset.map(|offset| oldest.offset.saturating_sub(offset));
            let dropped = Dropped { oldest: oldest.sequence, newest: self.newest, bytes };
            return Read::Dropped(dropped, before(oldest));
        }
        let index = usize::try_from(cursor.after + 1 - oldest.sequence).unwrap_or(usize::MAX);
        self.entries.get(index).map_or(Read::End, |entry| Read::Entry(entry.clone()))
    }

    /// The cursor right before the oldest entry.
    pub(crate) fn start(&self) -> Cursor {
        self.entries.front().map_or(self.end(), before)
    }

    /// The cursor after everything.
    pub(crate) fn end(&self) -> Cursor {
        Cursor { after: self.newest, offset: Some(self.written) }
    }

    /// The cursor after this entry. One from the future, or of another process, is taken for the newest.
    pub(crate) fn after(&self, sequence: u64) -> Cursor {
        if sequence >= self.newest {
            return self.end();
        }
        let next = self.entries.iter().find(|entry| entry.sequence == sequence + 1);
        let offset = if sequence == 0 { Some(0) } else { next.map(|entry| entry.offset) };
        Cursor { after: sequence, offset }
    }

    /// The cursor before the last `count` entries that `wanted` picks.
    pub(crate) fn tail(&self, count: usize, wanted: impl Fn(&Entry) -> bool) -> Cursor {
        let Some(index) = count.checked_sub(1) else { return self.end() };
        let mut last = self.entries.iter().rev().filter(|entry| wanted(entry));
        last.nth(index).map_or(self.start(), before)
    }

    /// The cursor from which at most so many bytes of output are left.
    pub(crate) fn last_bytes(&self, bytes: u64) -> Cursor {
        let from = self.written.saturating_sub(bytes);
        self.entries.iter().find(|entry| entry.offset >= from).map_or(self.end(), before)
    }
}

fn before(entry: &Entry) -> Cursor {
    Cursor { after: entry.sequence - 1, offset: Some(entry.offset) }
}

fn cost(data: &Bytes) -> usize {
    data.len() + ENTRY_OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(length: usize) -> Bytes {
        Bytes::from(vec![b'x'; length])
    }

    proptest! {
        /// Whoever reads as entries come and go gets every byte, or is told how many are gone.
        #[test]
        fn what_is_read_and_what_is_dropped_add_up(
            steps in prop::collection::vec((1_usize..400, 0_usize..4), 1..200),
            limit in 1_usize..4000,
        ) {
            let mut log = Log::new(limit);
            let (mut cursor, mut seen, mut last) = (Cursor { after: 0, offset: Some(0) }, 0, 0);
            for (length, reads) in steps {
                log.append(Stream::Stdout, 0, text(length));
                prop_assert!(log.cost() <= limit.max(length + ENTRY_OVERHEAD));
                for _ in 0..reads {
                    match log.read(cursor) {
                        Read::Entry(entry) => {
                            prop_assert_eq!(entry.sequence, cursor.after + 1);
                            prop_assert_eq!(entry.offset, seen);
                            seen += entry.data.len() as u64;
                            last = entry.sequence;
                            cursor = Cursor { after: last, offset: Some(seen) };
                        }
                        Read::Dropped(dropped, resume) => {
                            prop_assert!(dropped.oldest > last + 1);
                            seen += dropped.bytes.unwrap_or_default();
                            cursor = resume;
                        }
                        Read::End => prop_assert_eq!(seen, log.written()),
                    }
                }
            }
        }
    }

    #[test]
    fn cursors_are_where_they_should_be() {
        let mut log = Log::new(10_000);
        assert_eq!(log.start(), log.end());
        for stream in [Stream::Stdout, Stream::Stderr, Stream::Stdout] {
            log.append(stream, 0, text(10));
        }
        assert_eq!(log.start().after, 0);
        assert_eq!(log.after(2), Cursor { after: 2, offset: Some(20) });
        assert_eq!(log.after(99), log.end(), "a number from elsewhere");
        let stdout = |entry: &Entry| entry.stream == Stream::Stdout;
        assert_eq!(log.tail(2, stdout).after, 0);
        assert_eq!(log.tail(1, |_| true).after, 2);
        assert_eq!(log.tail(0, |_| true), log.end());
        assert_eq!(log.tail(99, |_| true), log.start());
        assert_eq!(log.last_bytes(10).after, 2);
        assert_eq!(log.last_bytes(19).after, 2);
        assert_eq!(log.last_bytes(1000), log.start());
    }
}
