//! A part of a list.

use serde::Serialize;

/// The part of a list to return.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Page {
    /// The most entries of it.
    pub limit: Option<usize>,
    /// The last entry before it, or the `next` of the page before.
    pub after: Option<String>,
}
