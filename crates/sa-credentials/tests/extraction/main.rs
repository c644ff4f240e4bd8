//! Homes as each agent's CLI leaves them, and what is found there.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod amp;
mod broken;
mod claude;
mod codex;
mod documented;
mod home;
mod opencode;
mod others;
mod passing_on;
