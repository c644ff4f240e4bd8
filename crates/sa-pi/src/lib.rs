//! Pi as an ACP v1 agent: the vendor's own CLI, one process per session, driven through its RPC mode.
//!
//! ```text
//!  client ──line──► Machine ──► Session ──► commands to the CLI
//!  client ◄─line─── Machine ◄── Session ◄── events and responses of the CLI
//!  the CLI's tool ──► extension `gate.mjs` ──► Session: may this tool run?
//! ```
//!
//! The CLI never asks before it runs a tool. The extension that is loaded into it does: it holds every call until the
//! session answers, and no prompt is sent before the extension has reported that it runs.

mod core;
mod disk;
mod driver;
mod launch;
mod native;
mod session;
mod tools;

pub use self::core::{Core, Host};
pub use disk::{SessionFiles, StoredSession};
pub use driver::Options;
pub use launch::{Launch, Origin};
pub use sa_acp::{Disk, Limits, Machine};
