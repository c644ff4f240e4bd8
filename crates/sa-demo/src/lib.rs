//! The demo agent: a complete ACP v1 agent that runs the commands of a prompt, one per line. It needs no model
//! and no key, so it is what newcomers try first and what tests drive. Its language is described in `docs/demo-agent.md`.
//!
//! ```text
//!  line ──► machine ──► requests ──► session ──► queue of prompts ──► turn ──► queue of actions
//!              ▲                                                       │
//!  time ───────┴── poll: one action of one turn at a time ◄────────────┘ ──► lines, effects
//! ```
//!
//! [`Machine`] is pure; [`run`] drives it on a pair of streams; [`run_stdio`] is all of `sandbox-agent acp demo`.

mod action;
mod catalog;
mod commands;
mod config;
mod content;
mod core;
mod driver;
mod faults;
mod history;
mod machine;
mod permissions;
mod plan;
mod questions;
mod requests;
mod script;
mod session;
mod sessions;
mod store;
mod terminal;
mod tools;
mod tour;
mod turn;

pub use self::core::{Archive, Effect, Environment, Host};
pub use catalog::{CATALOG, Entry};
pub use driver::{Exit, Options, run, run_stdio};
pub use history::Saved;
pub use machine::{Machine, Step};
