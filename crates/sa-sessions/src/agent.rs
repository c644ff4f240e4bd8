//! The daemon as a client of ACP agents: processes, messages, and who gets which.

mod connection;
mod failure;
mod mailbox;
mod pool;
mod routes;
mod wire;

pub(crate) use connection::{AgentCapabilities, Connection};
pub use failure::AgentFailure;
pub(crate) use mailbox::{Mailbox, Messages};
pub(crate) use pool::{Pool, Process, Slot};
pub(crate) use routes::{CANCEL_REQUEST, Opens, opened_session, withdrawn_request};
pub(crate) use wire::{FromAgent, RpcError};
