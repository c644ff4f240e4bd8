//! `sandbox-agent credentials`: the real binary in new homes, shells that evaluate its output, and providers on
//! loopback.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod listing;
mod person;
mod provider;
mod secrecy;
mod shells;
mod validation;
