//! The scripted model server over real sockets: what goes over the wire, byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod faults;
mod framing;
mod journal;
mod loops;
