//! The places where each agent's CLI looks: one file for each with its own format, and one table for the others.

mod amp;
mod claude;
mod codex;
mod entries;
mod opencode;
mod pi;
mod table;

pub(crate) use opencode::{AUTH_CONTENT, merged_content};

use crate::search::Search;

/// The agent that needs no credential.
pub(crate) const NEEDS_NONE: &str = "demo";

/// A search through the places of one agent.
type Places = fn(&mut Search);

const WITH_FORMATS: [(&str, Places); 5] = [
    ("claude", claude::search),
    ("codex", codex::search),
    ("opencode", opencode::search),
    ("amp", amp::search),
    ("pi", pi::search),
];

/// Returns the ids of the agents whose places are known.
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    WITH_FORMATS.iter().map(|(id, _)| *id).chain(table::ids())
}

/// Looks where this agent would; says whether it is known where that is.
pub(crate) fn search(agent: &str, search: &mut Search) -> bool {
    if let Some((_, places)) = WITH_FORMATS.iter().find(|(id, _)| *id == agent) {
        places(search);
        return true;
    }
    table::search(agent, search)
}
