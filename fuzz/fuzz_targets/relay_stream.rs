//! Any bytes as an agent's output: the pieces they come in do not matter.
#![no_main]

#[path = "../../crates/sa-relay/tests/relay/sse.rs"]
mod sse;
#[path = "../../crates/sa-relay/tests/relay/stream.rs"]
mod stream;

libfuzzer_sys::fuzz_target!(|data: &[u8]| stream::pieces_do_not_matter(data));
