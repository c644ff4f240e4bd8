//! The demo agent as a client sees it. Every message it writes in these tests is checked against ACP's JSON Schema.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asking;
mod cancelling;
mod client;
mod config;
mod docs;
mod driver;
mod faults;
mod protocol;
mod robustness;
mod sessions;
mod storage;
mod talking;
mod tools;
mod tour;
