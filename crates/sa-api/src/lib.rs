//! The public HTTP contract as types, one file for each resource. What is written here is what OpenAPI, the clients
//! and the CLI reference say; there is no behaviour in this crate.

mod acp;
mod agents;
mod meta;
mod problem;
mod tickets;

pub use acp::{AcpServer, AcpServerList, AcpServerStatus, AgentExit, Gap, Unparsed};
pub use agents::{AgentInfo, AgentLaunch, AgentList};
pub use meta::{Health, Info, InfoLinks};
pub use problem::{ErrorCode, Problem};
pub use tickets::Ticket;
