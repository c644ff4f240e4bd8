//! The standard ACP remote transport, by hand: every header and status that stock clients rely on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod connection;
mod lifetime;
mod order;
mod refusals;
mod streams;
