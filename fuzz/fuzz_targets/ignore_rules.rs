//! Any bytes as a path and ignore rules: matching ends within bounded steps.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_files::testing::rules_end_in_bounded_steps(data));
