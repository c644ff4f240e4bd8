//! Any bytes as a command line: the judgments about it keep their promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_shell::testing::judgments_hold(data));
