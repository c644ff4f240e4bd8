//! The reference model: what the daemon has promised to each client, in plain data.

mod asks;
mod files;
mod observation;
mod posts;
pub(crate) mod script;
mod server;
mod session;
mod turns;

pub(crate) use asks::{Decision, Verdict};
pub(crate) use files::Files;
pub(crate) use observation::{Filter, Observation};
pub(crate) use posts::Answer;
pub(crate) use server::{Record, Server, Sighting};
pub(crate) use session::{Fate, Session};
