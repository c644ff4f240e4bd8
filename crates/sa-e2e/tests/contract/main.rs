//! The contract as it is served: complete, tested, and true to what goes over the wire.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod document;
mod events;
mod methods;
mod operations;
mod problems;
mod queries;
mod spelling;
