//! The agent catalogue: which agents there are and how each is started. Data only; nothing here runs anything.

mod catalogue;
mod custom;

pub use catalogue::{AgentSpec, Builtin, Catalogue, Launch};
pub use custom::{AgentDefinition, CustomAgentError};
