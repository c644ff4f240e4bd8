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

/// Items of a page if the client does not say.
const USUAL_PAGE: usize = 100;
/// And the most there are.
const LARGEST_PAGE: usize = 1000;

/// Returns how many items a page may have.
fn page_size(limit: Option<usize>) -> usize {
    limit.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE)
}
