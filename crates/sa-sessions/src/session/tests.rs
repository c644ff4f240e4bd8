//! Tests of the machine: transitions one by one, and properties of random runs with crashes in between.
#![allow(clippy::unwrap_used)]

mod properties;
mod transitions;
mod world;
