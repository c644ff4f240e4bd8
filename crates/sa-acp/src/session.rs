//! The traits that an adapter is written against, and what all sessions of adapters share.

pub(crate) mod adapter;
pub(crate) mod answers;
pub(crate) mod conversation;
pub(crate) mod desk;
pub(crate) mod mcp_wait;
pub(crate) mod offer;
pub(crate) mod question;
pub(crate) mod server_form;
