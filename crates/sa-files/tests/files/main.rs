//! The files of a sandbox through the public interface, with the kernel resolving paths and with every name resolved
//! separately, as on kernels that cannot.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod arbitrary;
mod documentation;
mod footing;
mod hostile;
mod moves;
mod paging;
mod parents;
mod resolution;
mod rules;
