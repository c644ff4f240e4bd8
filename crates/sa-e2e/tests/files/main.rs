//! `/v1/fs`: reading, writing and finding files, and all that must not be possible.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod archives;
mod attacks;
mod changing;
mod cli;
mod disk;
mod fs;
mod hostile;
mod jail;
mod listing;
mod reading;
mod search;
mod shortage;
mod special;
mod tarball;
mod watch;
mod writing;
