//! `/v1/fs`: reading, writing and finding files, and all that must not be possible.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod fs;
mod jail;
mod listing;
mod reading;
mod writing;
