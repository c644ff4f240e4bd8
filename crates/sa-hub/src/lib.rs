//! The actor layer: which ACP servers exist, and one owner task for each.

mod limits;

pub use limits::Limits;
