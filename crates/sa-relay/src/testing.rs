//! Properties of the relay that tests and fuzzing check, and a reader of event streams to check them with.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod sse;
mod stream;

pub use sse::{Parser, SseEvent, parse};
pub use stream::{Transcript, cut, pieces_do_not_matter, transcript};
