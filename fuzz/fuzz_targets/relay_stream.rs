//! Any bytes as an agent's output: the pieces they come in do not matter.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_relay::testing::pieces_do_not_matter(data));
