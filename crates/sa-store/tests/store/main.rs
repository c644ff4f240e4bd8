//! The store through its public interface, on real files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod basics;
mod crashes;
mod damage;
mod full_disk;
mod imports;
mod listings;
mod load;
mod model;
mod neighbors;
mod retention;
mod runs;
mod scene;
mod transcripts;
mod usage;
mod versions;
