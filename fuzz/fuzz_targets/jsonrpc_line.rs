//! Any bytes as one line of JSON-RPC: never a panic, and never another reading than a full parse.
#![no_main]

#[path = "../../crates/sa-jsonrpc/tests/line/reading.rs"]
mod reading;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reading::agrees_with_a_full_parse(data));
