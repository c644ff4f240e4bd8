//! The entries themselves, bounded by what they cost.

use std::collections::VecDeque;
use std::sync::Arc;

/// One or more consecutive records that are appended and read together. Records count from 1.
pub trait Entry {
    /// Returns the number of the first record.
    fn first(&self) -> u64;

    /// Returns the number of the last record, for entries of more than one.
    fn last(&self) -> u64 {
        self.first()
    }

    /// Returns the memory that the entry occupies, in bytes.
    fn cost(&self) -> usize;

    /// Returns how much came before this record, or before the one after the last, in the whole life of the ring. The lag
    /// of readers is measured in this unit: records, unless the entry counts something else.
    fn position_before(&self, record: u64) -> u64 {
        record.saturating_sub(1)
    }
}

impl<E: Entry> Entry for Arc<E> {
    fn first(&self) -> u64 {
        E::first(self)
    }

    fn last(&self) -> u64 {
        E::last(self)
    }

    fn cost(&self) -> usize {
        E::cost(self)
    }

    fn position_before(&self, record: u64) -> u64 {
        E::position_before(self, record)
    }
}

/// Records that a cursor cannot get: they have left the ring, or were never in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Oldest record that can be read; 0 if none can.
    pub oldest: u64,
    /// Newest record, or the number before the first.
    pub newest: u64,
    /// The number of entries missing before the oldest, where that is known.
    pub lost: Option<u64>,
}

/// The newest entries, as far back as the limit of their cost reaches.
#[derive(Debug)]
pub struct Ring<E> {
    entries: VecDeque<E>,
    cost: usize,
    limit: usize,
    /// Numbers up to this one belong to earlier rings.
    base: u64,
    newest: u64,
    end: u64,
}

impl<E: Entry> Ring<E> {
    /// Returns an empty ring of this cost, in bytes.
    pub fn new(limit: usize) -> Self {
        Self::continuing(limit, 0)
    }

    /// Returns an empty ring whose first record has the number after `base`.
    pub fn continuing(limit: usize, base: u64) -> Self {
        Self { entries: VecDeque::new(), cost: 0, limit, base, newest: base, end: 0 }
    }

    /// Changes the limit. Entries beyond it leave with the next one that is appended.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Appends an entry, and drops the oldest ones beyond the limit. The newest always stays, whatever its cost.
    pub fn append(&mut self, entry: E) {
        self.cost += entry.cost();
        self.newest = entry.last();
        self.end = entry.position_before(self.newest + 1);
        self.entries.push_back(entry);
        while self.cost > self.limit && self.entries.len() > 1 {
            if let Some(oldest) = self.entries.pop_front() {
                self.cost -= oldest.cost();
            }
        }
        // Small entries leave a long queue behind; its memory is freed when the ring holds few again.
        if self.entries.capacity() > 1024 && self.entries.len() * 4 < self.entries.capacity() {
            self.entries.shrink_to(self.entries.len() * 2);
        }
    }

    pub fn cost(&self) -> usize {
        self.cost
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of the newest record, or the number before the first.
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// Returns the number of the oldest record that is left, or 0.
    pub fn oldest(&self) -> u64 {
        self.entries.front().map_or(0, E::first)
    }

    /// Returns the position of the oldest record that is left, or the end.
    pub fn start(&self) -> u64 {
        self.entries.front().map_or(self.end, |oldest| oldest.position_before(oldest.first()))
    }

    /// Returns the position after everything.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the entries from oldest to newest.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &E> {
        self.entries.iter()
    }

    /// Returns the entries that end after this record.
    pub fn entries_after(&self, after: u64) -> impl Iterator<Item = &E> {
        self.entries.range(self.index_after(after)..)
    }

    /// Returns the position of a cursor, if it is in the ring or before everything.
    pub fn position_after(&self, after: u64) -> Option<u64> {
        match self.read(after) {
            Ok(Some(entry)) => Some(entry.position_before(self.beginning_or(after) + 1)),
            Ok(None) => Some(self.end),
            Err(_) => (after == 0 || after == self.base).then_some(0),
        }
    }

    /// Returns the entry that holds the record after this one, or nothing at the end. 0 stands for the beginning, whatever
    /// number that has. How much is missing in a gap is not known here.
    pub fn read(&self, after: u64) -> Result<Option<&E>, Gap> {
        let after = self.beginning_or(after);
        if after > self.newest || after < self.base || (after < self.newest && after + 1 < self.oldest()) {
            return Err(Gap { oldest: self.oldest(), newest: self.newest, lost: None });
        }
        Ok(self.entries.get(self.index_after(after)))
    }

    fn beginning_or(&self, after: u64) -> u64 {
        if after == 0 { self.base } else { after }
    }

    fn index_after(&self, after: u64) -> usize {
        self.entries.partition_point(|entry| entry.last() <= after)
    }
}
