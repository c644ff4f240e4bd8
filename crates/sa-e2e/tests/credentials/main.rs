//! `sandbox-agent credentials`: the real binary in homes of its own, shells that evaluate what it prints, and providers
//! on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod listing;
mod person;
mod provider;
mod secrecy;
mod shells;
mod validation;
