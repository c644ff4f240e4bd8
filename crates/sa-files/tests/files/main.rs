//! The files of a sandbox through the public interface, with the kernel resolving paths and with every name taken by
//! itself, as on kernels that cannot.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod arbitrary;
mod archives;
mod confinement;
mod documentation;
mod hostile;
mod pieces;
mod resolution;
mod rules;
mod world;
