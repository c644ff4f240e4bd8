//! `GET /v1/acp/{server_id}`: how events are framed, replayed, told to be missing, and what becomes of odd output.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod exits;
mod framing;
mod gaps;
mod numbers;
mod output;
mod questions;
mod replay;
mod sizes;
