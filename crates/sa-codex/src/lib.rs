//! Codex as an ACP v1 agent: the vendor's own app-server, one process for all sessions, each of which is a thread in it.
//!
//! ```text
//!  client ──line──► Machine ──► requests ──► Session ──► requests to the app-server
//!  client ◄─line─── Machine ◄── updates ◄─── Session ◄── notifications and questions of the app-server
//!  time, end of the process ──►     │
//!                                   └──► effects: start, write, end
//! ```
//!
//! [`Machine`] is pure: what the client and the app-server write, ends of processes and the time go in; lines for both and
//! effects come out. [`Options::into_program`] returns it with the processes behind it: all of
//! `sandbox-agent acp codex`.

mod adapter;
mod core;
mod driver;
mod jobs;
mod launch;
mod limits;
mod native;
mod provider;
mod replies;
mod server;
mod session;
mod tools;

pub use self::core::{Core, Host};
pub use driver::Options;
pub use launch::Launch;
pub use sa_acp::{Disk, Limits, Machine};
