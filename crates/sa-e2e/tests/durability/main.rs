//! The guarantees of sessions for acknowledged data: it outlives kills of the daemon, full disks are reported and
//! survived, and a damaged store is refused rather than replaced.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod damage;
mod full_disk;
mod kills;
mod upgrade;
mod witness;
