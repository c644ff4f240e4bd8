//! WebSockets on `/v1/acp/{server_id}`: the same stream both ways.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod events;
mod plain;
