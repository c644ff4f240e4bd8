//! The lines that are exchanged with the CLI, one JSON object each.
//!
//! What is read is read leniently: every field may be missing, types and fields that are not known are no error. What is
//! written comes from the types of [`line`] only, because the CLI ends itself when it cannot read a line.

pub(crate) mod answer;
pub(crate) mod frame;
pub(crate) mod line;
pub(crate) mod message;

pub(crate) use frame::Frame;
