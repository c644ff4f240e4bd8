//! The bodies of the features: what is done, and what must be seen then.

pub(crate) mod permissions;
pub(crate) mod talking;
pub(crate) mod tools;
