//! Any bytes as the output of an agent's CLI: its adapter continues.
#![no_main]

#[path = "../../crates/sa-fuzz/src/adapters.rs"]
mod adapters;

libfuzzer_sys::fuzz_target!(|data: &[u8]| adapters::lines_of_the_cli_harm_nobody(data));
