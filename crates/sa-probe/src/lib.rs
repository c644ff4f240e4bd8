//! Asks an agent itself what it offers: it is started, greeted (`initialize`, `session/new` in an empty directory)
//! and ended. Answers are kept by version; a new version is asked again.

mod conversation;
mod error;
mod offer;
mod probe;

pub use error::ProbeError;
pub use offer::{Choice, Offer, Select, every_agent_can};
pub use probe::{Answers, Probe, ProbeOptions};
