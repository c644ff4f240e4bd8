//! Any bytes as headers of a request: their readers agree with each other.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_http::testing::headers_are_read_alike(data));
