//! End-to-end tests of the daemon: the real binary, real agents, and nothing but HTTP in between. One test binary for
//! each area in `tests/`; here is what the areas share.
//!
//! Cargo builds binaries only for the tests of their own package, so they come first:
//! `cargo build -p sandbox-agent -p sa-testkit`, then `cargo nextest run -p sa-e2e`; `cargo xtask test` does both. The
//! harness says so when a binary is missing, and a failing test when it is older than its sources.
//!
//! Tests that need the machine for themselves, because they measure memory or time, are in modules named `heavy`,
//! which the runner takes one after the other.

mod message;
mod moment;
mod patience;

pub use message::{error, notification, request, response, write};
pub use moment::millis;
pub use patience::{gone, poll};
