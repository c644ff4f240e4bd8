//! The command line: every command against a real daemon, and the built-in agents on standard streams.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod caller;
mod chat;
mod completions;
mod conversation;
mod desk;
mod errors;
mod failures;
mod messages;
mod meta;
mod processes;
mod run;
mod run_alone;
mod running;
mod session_queue;
mod session_results;
mod sessions;
mod starting;
mod stdio;
mod streams;
mod unwritable;
