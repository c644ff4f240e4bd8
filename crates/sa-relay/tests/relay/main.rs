//! The relay and its log as their owner uses them, against models that know nothing of how they work.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod audience;
mod bounds;
mod chunking;
mod correlation;
mod long_lines;
mod reconnect;
mod seeds;
mod shared;
