//! The log of one server: segments in order, the oldest leaving first, readers as cursors.

use crate::Segment;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Everything the agent said, as far back as the byte limit reaches.
#[derive(Debug)]
pub struct Log {
    segments: VecDeque<Arc<Segment>>,
    cost: usize,
    limit: usize,
    /// Numbers up to this one belong to earlier logs.
    base: u64,
    newest: u64,
    end: u64,
}

/// A run of records in one segment.
#[derive(Debug, Clone)]
pub struct Part {
    /// The segment.
    pub segment: Arc<Segment>,
    /// Which of its records, by index.
    pub records: Range<usize>,
}

impl Part {
    /// Sequence number of the last record.
    pub fn last(&self) -> u64 {
        self.segment.first + self.records.end as u64 - 1
    }
}

/// What a cursor finds.
#[derive(Debug)]
pub enum Read {
    /// The next records.
    Part(Part),
    /// Nothing yet.
    End,
    /// The cursor points outside the log: what it missed is gone, or never was in this log.
    Gap {
        /// Oldest sequence number that can still be read; 0 if none can.
        oldest: u64,
        /// Newest sequence number, or the number before the first.
        newest: u64,
    },
}

impl Log {
    /// An empty log that keeps about `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self::continuing(limit, 0)
    }

    /// The same for a log whose first record has the number after `base`.
    pub fn continuing(limit: usize, base: u64) -> Self {
        Self { segments: VecDeque::new(), cost: 0, limit, base, newest: base, end: 0 }
    }

    /// Adds a segment and lets go of the oldest ones beyond the limit. The newest always stays, whatever its size.
    /// Gives back the buffer of one that left and that nobody reads, to be used again.
    pub fn append(&mut self, segment: Segment) -> Option<Vec<u8>> {
        let mut left = None;
        self.cost += segment.cost();
        self.newest = segment.last();
        self.end = segment.end();
        self.segments.push_back(Arc::new(segment));
        while self.cost > self.limit && self.segments.len() > 1 {
            if let Some(oldest) = self.segments.pop_front() {
                self.cost -= oldest.cost();
                left = Arc::into_inner(oldest).map(Segment::into_buffer).or(left);
            }
        }
        // Small segments leave a long queue of pointers behind; give it back when the log holds few again.
        if self.segments.capacity() > 1024 && self.segments.len() * 4 < self.segments.capacity() {
            self.segments.shrink_to(self.segments.len() * 2);
        }
        left
    }

    /// Sequence number of the newest record; where there is none, the number before the first.
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// Bytes framed over the log's whole life.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Sequence number of the oldest record still there; 0 if there is none.
    pub fn oldest(&self) -> u64 {
        self.segments.front().map_or(0, |segment| segment.first)
    }

    /// How many framed bytes lay before the record after `sequence`.
    pub fn position_after(&self, sequence: u64) -> u64 {
        match self.read(sequence) {
            Read::Part(part) => part.segment.start + part.segment.offset(part.records.start) as u64,
            Read::End => self.end,
            Read::Gap { .. } => self.segments.front().map_or(self.end, |segment| segment.start),
        }
    }

    /// Returns the records after the one numbered `after`: the rest of the segment they begin in. 0 stands for the
    /// beginning, whatever number that has.
    pub fn read(&self, after: u64) -> Read {
        let after = if after == 0 { self.base } else { after };
        let gap = Read::Gap { oldest: self.oldest(), newest: self.newest };
        if after == self.newest {
            return Read::End;
        }
        if after > self.newest || after < self.base || after + 1 < self.oldest() {
            return gap;
        }
        let index = self.segments.partition_point(|segment| segment.last() <= after);
        let Some(segment) = self.segments.get(index) else { return gap };
        let from = (after + 1 - segment.first) as usize;
        let upto = (segment.last() + 1 - segment.first) as usize;
        Read::Part(Part { segment: Arc::clone(segment), records: from..upto })
    }
}
