//! The daemon in the background: `sandbox-agent daemon …`, and commands that find a daemon by themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod discovery;
mod home;
mod lifecycle;
mod races;
mod upgrade;
