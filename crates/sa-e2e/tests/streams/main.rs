//! `GET /v1/acp/{server_id}`: framing, replay, gaps, and unparsable output.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod exits;
mod framing;
mod gaps;
mod numbers;
mod output;
mod questions;
mod replay;
mod sizes;
