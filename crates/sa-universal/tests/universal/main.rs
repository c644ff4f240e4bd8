//! Both ways of the conversion, through its public interface.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod round_trip;
mod schema;
mod updates;
