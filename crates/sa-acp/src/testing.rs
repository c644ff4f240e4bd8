//! The common part of agents' tests: a client and the processes behind an agent, both played by the test; the same over
//! streams; ACP's schema; recordings and their replay.
//!
//! Not a part of the product: only tests turn the feature on that this is behind.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod recording;
mod remote;
mod schema;

pub use client::{Client, Peer, answer, answer_to, request, stop_reason, text, updates};
pub use recording::{Log, describe, recordings, shorten};
pub use remote::{PATH, Remote, program, said};
pub use schema::{Side, check, check_error};
