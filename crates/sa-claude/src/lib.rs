//! Claude Code as an ACP v1 agent: the vendor's own CLI, one process per session, driven through its stream of JSON lines.
//!
//! ```text
//!  client ──line──► Machine ──► requests ──► Session ──► lines to the CLI
//!  client ◄─line─── Machine ◄── updates ◄─── Session ◄── lines of the CLI
//!  time, ends of processes ──►      │
//!                                   └──► effects: start, write, end
//! ```
//!
//! [`Machine`] is pure: what the client and the CLI write, ends of processes and the time go in; lines for both and effects
//! come out. [`Options::into_program`] returns it with the processes behind it: all of `sandbox-agent acp claude`.

mod core;
mod disk;
mod driver;
mod launch;
mod limits;
mod native;
mod requests;
mod session;
mod token;
mod tools;
mod transcript;

pub use self::core::{Core, Disk, Host};
pub use driver::Options;
pub use launch::{Launch, NativeConversation};
pub use sa_acp::{Limits, Machine};
pub use token::Token;
