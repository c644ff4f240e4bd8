//! Properties of file access that tests and fuzzing check: nothing outside of the root is read, written or named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

mod archives;
mod confinement;
mod pieces;
mod rules;
mod world;

pub use archives::{describe, described_archives_stay_inside, raw_bytes_stay_inside};
pub use confinement::nothing_gets_out;
pub use rules::rules_end_in_bounded_steps;
pub use world::{SECRET, World, run};
