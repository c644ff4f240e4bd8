//! Any bytes as a tree of links and operations on paths in it: nothing outside of the root is reached.
#![no_main]

#[path = "../../crates/sa-files/tests/files/confinement.rs"]
mod confinement;
#[path = "../../crates/sa-files/tests/files/pieces.rs"]
mod pieces;
#[path = "../../crates/sa-files/tests/files/world.rs"]
mod world;

libfuzzer_sys::fuzz_target!(|data: &[u8]| confinement::nothing_gets_out(data));
