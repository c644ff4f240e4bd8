//! Sessions with the built-in demo agent through the daemon, by nothing but POST and an event stream.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asking;
mod cancelling;
mod client;
mod crash;
mod noise;
mod sessions;
mod talking;
mod tools;
