//! A journal: one writer appends, any number of readers follow, each at its own pace.
//!
//! ```text
//!  writer ──append──► Ring: bounded by cost, the oldest leave first ──► Reader: a cursor ──► Step::{Entry, Gap}
//!     ▲                                                                   │
//!     └───── held back while a reader lags and keeps reading ◄── slot: position, last progress
//! ```
//!
//! A reader has no queue, so nothing can overflow. One that keeps reading holds the writer back before its entries
//! leave the ring; one that stalls does not, and gets a gap when it continues.

mod journal;
mod reader;
mod ring;
mod slots;

pub use journal::{Hold, Journal};
pub use reader::{Reader, Step};
pub use ring::{Entry, Gap, Ring};
pub use slots::Pulse;
