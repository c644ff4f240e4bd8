//! OpenCode as an ACP v1 agent: the vendor's own server, one process for all sessions, on a loopback port behind a password.
//!
//! ```text
//!  client ──line──► Machine ──► requests ──► Session ──► requests to the server ──► Wire ──HTTP──► opencode serve
//!  client ◄─line─── Machine ◄── updates ◄─── Session ◄── answers and events ◄────── Wire ◄──SSE─── opencode serve
//!  time, end of the process ──►     │
//!                                   └──► effects: start, write, end
//! ```
//!
//! [`Machine`] is pure: what the client writes, what the wire brings, ends of processes and the time go in; lines for both
//! and effects come out. The wire knows HTTP and nothing of what it carries. [`Options::into_program`] returns both with the
//! processes behind them: all of `sandbox-agent acp opencode`.

mod adapter;
mod core;
mod driver;
mod endpoint;
mod gate;
mod jobs;
mod launch;
mod limits;
mod native;
mod openings;
mod replies;
mod server;
mod servers;
mod session;
mod tools;
mod wire;

pub use self::core::{Core, Host};
pub use driver::Options;
pub use endpoint::{Endpoint, Endpoints};
pub use launch::Launch;
pub use limits::LIMITS;
pub use sa_acp::{Disk, Limits, Machine};
