//! Any bytes as text of an agent: nothing steers the terminal.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_terminal::testing::nothing_steers_the_terminal(data));
