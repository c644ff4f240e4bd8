//! Faults: agents that crash, hang, flood and leave processes behind; readers that stall; a daemon that is stopped or
//! killed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod crash;
mod deaf;
mod early;
mod leaks;
mod readers;
mod shutdown;
mod silence;
mod spawn;
mod stall;
mod stop;
