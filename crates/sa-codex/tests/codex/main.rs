//! The adapter as a client and as the app-server see it. Every message it writes to the client in these tests is checked
//! against ACP's JSON Schema, every request to the app-server against the vendor's.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asking;
mod calls;
mod changes;
mod client;
mod driver;
mod opening;
mod planning;
mod replay;
mod settings;
mod traps;
mod turns;
