//! Any bytes as one line of JSON-RPC: never a panic, and never another reading than a full parse.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_jsonrpc::testing::agrees_with_a_full_parse(data));
