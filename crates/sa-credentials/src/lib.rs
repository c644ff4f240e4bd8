//! Where each agent's CLI keeps its credentials, and whether a provider accepts one.
//!
//! Searching reads files beneath the home folder that the caller names, and the environment that the caller passes;
//! nothing is taken from the process. A secret leaves this crate only through [`Secret::expose`].

mod agents;
mod availability;
mod credential;
mod handover;
mod host;
mod providers;
mod search;
mod secret;
mod validate;

pub use availability::{Availability, Source, availability, needs_none};
pub use credential::{Credential, Findings, Kind, Origin, Problem, Variable};
pub use handover::environment;
pub use host::{Host, Platform};
pub use secret::Secret;
pub use validate::{VALIDATION_TIMEOUT, Validity, address_of, validate};

use search::Search;

/// Returns the ids of the agents whose credentials can be searched for.
pub fn agents() -> impl Iterator<Item = &'static str> {
    agents::ids()
}

/// Returns the credentials that this agent's CLI would find on the host, in the order in which it would prefer them;
/// nothing when it is not known where that agent looks.
pub fn extract(agent: &str, host: &Host) -> Option<Findings> {
    let mut search = Search::of(host);
    agents::search(agent, &mut search).then(|| search.finish())
}
