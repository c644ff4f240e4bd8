//! The adapter as a client and as the server see it. Every message it writes to the client in these tests is checked against
//! ACP's JSON Schema.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asking;
mod client;
mod driver;
mod opening;
mod replay;
mod traps;
mod turns;
