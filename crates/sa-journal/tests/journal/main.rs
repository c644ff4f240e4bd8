//! Journals as writers and readers use them, against a model that keeps everything.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod back_pressure;
mod cursors;
mod waking;

use sa_journal::Entry;

/// So many records, each of so many bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Batch {
    first: u64,
    /// Bytes before the batch.
    start: u64,
    sizes: Vec<u64>,
}

impl Batch {
    fn of(sizes: &[u64]) -> Self {
        Self { first: 1, start: 0, sizes: sizes.to_vec() }
    }

    fn next(&self, sizes: &[u64]) -> Self {
        Self { first: self.last() + 1, start: self.end(), sizes: sizes.to_vec() }
    }

    fn end(&self) -> u64 {
        self.start + self.sizes.iter().sum::<u64>()
    }
}

impl Entry for Batch {
    fn first(&self) -> u64 {
        self.first
    }

    fn last(&self) -> u64 {
        self.first + self.sizes.len() as u64 - 1
    }

    fn cost(&self) -> usize {
        self.sizes.iter().sum::<u64>() as usize + 10
    }

    fn position_before(&self, record: u64) -> u64 {
        self.start + self.sizes[..(record - self.first) as usize].iter().sum::<u64>()
    }
}

/// Returns how many cases a property is tried with: `usual`, unless `SA_CASES` says otherwise.
fn cases(usual: u32) -> u32 {
    std::env::var("SA_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}
