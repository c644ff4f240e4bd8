//! Checksums of rows. SQLite keeps none, so a flipped bit in a row's content would go unnoticed.

use crc32fast::Hasher;

/// Sums up fields; each with its length, so that no byte can move from one to the next unseen.
#[derive(Default)]
pub(crate) struct Checksum(Hasher);

impl Checksum {
    /// Adds a number.
    pub(crate) fn number(mut self, value: i64) -> Self {
        self.0.update(&value.to_le_bytes());
        self
    }

    pub(crate) fn bytes(mut self, value: &[u8]) -> Self {
        self.0.update(&(value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    /// Adds bytes that may be absent.
    pub(crate) fn optional(self, value: Option<&[u8]>) -> Self {
        match value {
            Some(value) => self.number(1).bytes(value),
            None => self.number(0),
        }
    }

    /// Returns the sum, as the column holds it.
    pub(crate) fn sum(self) -> i64 {
        i64::from(self.0.finalize())
    }
}
