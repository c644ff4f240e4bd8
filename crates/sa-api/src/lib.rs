//! The public HTTP contract as types, one file for each resource. This text is what OpenAPI, the clients
//! and the CLI reference say; there is no behavior in this crate but how values are read.
#![warn(missing_docs)]

mod acp;
mod agent_modes;
mod agents;
mod config;
mod files;
mod hidden;
mod installs;
mod meta;
mod problem;
mod processes;
pub mod sessions;
mod tickets;
mod timestamp;
mod usage;

pub use acp::*;
pub use agent_modes::*;
pub use agents::*;
pub use config::*;
pub use files::*;
pub use installs::*;
pub use meta::*;
pub use problem::*;
pub use processes::*;
pub use tickets::*;
pub use timestamp::*;
pub use usage::*;
