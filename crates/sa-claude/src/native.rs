//! The lines that are exchanged with the CLI, one JSON object each.
//!
//! Lines are read leniently: every field may be missing, types and fields that are not known are no error. Lines
//! to the CLI are written by [`line`] only, because the CLI ends itself when it cannot read a line.

pub(crate) mod answer;
pub(crate) mod frame;
pub(crate) mod line;

pub(crate) use frame::Frame;
