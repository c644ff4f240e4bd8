//! Amp as an ACP v1 agent: the vendor's own CLI, one process per session while it works, driven through its stream of JSON
//! lines.
//!
//! ```text
//!  client ──line──► Machine ──► requests ──► Session ──► lines to the CLI
//!  client ◄─line─── Machine ◄── updates ◄─── Session ◄── lines of the CLI
//!  time, ends of processes ──►      │
//!                                   └──► effects: start, write, end
//!  the CLI ──► helper ──► permission socket ──► Session: may this tool run?
//! ```
//!
//! [`Machine`] is pure: what the client, the CLI and its helpers write, ends of processes and the time go in; lines for all of
//! them and effects come out. [`Options::into_program`] returns it with the processes behind it: all of
//! `sandbox-agent acp amp`. The CLI has no way to ask whether a tool may run but to start a program: that is
//! [`ask_permission`], which asks here and waits for the answer.

mod adapter;
mod core;
mod delegate;
mod disk;
mod driver;
mod errand;
mod history;
mod jsonc;
mod launch;
mod limits;
mod native;
mod session;
mod tools;

pub use self::core::{Core, Disk, Host};
pub use delegate::{PermissionQuery, SOCKET, ask_permission};
pub use driver::Options;
pub use launch::Launch;
pub use limits::LIMITS;
pub use sa_acp::{Limits, Machine};
