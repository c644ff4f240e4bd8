//! The commands other than `server`, one file each.

pub(crate) mod acp;
pub(crate) mod api;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod credentials;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod draft;
pub(crate) mod gen_docs;
pub(crate) mod install_agent;
pub(crate) mod man;
pub(crate) mod model;
mod progress;
mod raw_mode;
mod reference;
mod render;
pub(crate) mod run;
mod session;
mod target;
mod terminal;
