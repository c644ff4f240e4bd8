//! What the server says and what it is asked, as types.

pub(crate) mod about;
pub(crate) mod ask;
pub(crate) mod call;
pub(crate) mod event;
pub(crate) mod line;
pub(crate) mod message;
