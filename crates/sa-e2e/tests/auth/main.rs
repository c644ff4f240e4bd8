//! Who may talk to the daemon, what it keeps to itself, and how it refuses to start.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod browser;
mod cors;
mod data_dir;
mod deny;
mod environment;
mod framing;
mod guessing;
mod leaks;
mod open;
mod secrets;
mod start;
mod tickets;
mod token;
