//! Any bytes as the body of an import: a whole session, or nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_sessions::testing::an_import_is_whole_or_nothing(data));
