//! Any bytes as a tree of links and operations on paths in it: nothing outside of the root is reached.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_files::testing::nothing_gets_out(data));
