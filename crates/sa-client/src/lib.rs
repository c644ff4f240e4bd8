//! Typed client of the daemon's HTTP contract.

mod sse;

pub use sse::{EventTooLarge, SseEvent, SseParser};
