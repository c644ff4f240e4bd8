//! Handlers of everything but ACP.

pub(crate) mod agents;
pub(crate) mod config;
pub(crate) mod fs;
pub(crate) mod inspector;
pub(crate) mod meta;
pub(crate) mod processes;
pub(crate) mod sessions;
pub(crate) mod tickets;
pub(crate) mod usage;
