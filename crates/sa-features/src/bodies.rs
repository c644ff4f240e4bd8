//! The bodies of the features: what is done, and what must be seen then.

pub(crate) mod asking;
pub(crate) mod cancelling;
pub(crate) mod content;
pub(crate) mod failures;
pub(crate) mod permissions;
pub(crate) mod planning;
pub(crate) mod servers;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod talking;
pub(crate) mod tools;
pub(crate) mod turns;
pub(crate) mod work;
