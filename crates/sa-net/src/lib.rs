//! Outgoing HTTP: how every part of the product connects to others, waits for them and reports their failures.
//!
//! Nothing is loaded until the first client is built: most daemons never call anyone.

mod backoff;
mod client;

pub use backoff::{Backoff, retry_after};
pub use client::{Clients, USER_AGENT, certificates_in, client_for, reason};
