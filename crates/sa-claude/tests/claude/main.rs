//! The adapter as a client and as the CLI see it. Every message it writes to the client in these tests is checked against
//! ACP's JSON Schema.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asking;
mod client;
mod driver;
mod opening;
mod replay;
mod settings;
mod turns;
mod unfinished;
