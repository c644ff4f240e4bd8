//! The store through its public interface, on real files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod basics;
mod scene;
