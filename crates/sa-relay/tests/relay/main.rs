//! The relay and its log as their owner uses them, against models that know nothing of how they work.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod audience;
mod bounds;
mod chunking;
mod correlation;
mod long_lines;
mod reconnect;
mod seeds;
mod shared;

/// Returns how many cases a property is tried with: `usual`, unless `SA_CASES` says otherwise.
fn cases(usual: u32) -> u32 {
    std::env::var("SA_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}
