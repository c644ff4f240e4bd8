//! Both ways of the conversion, through its public interface.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod anything;
mod client;
mod live;
mod messages;
mod modes;
mod permissions;
mod prompts;
mod questions;
mod replay;
mod round_trip;
mod schema;
mod updates;
mod usage;
