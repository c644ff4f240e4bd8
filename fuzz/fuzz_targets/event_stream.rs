//! Any bytes as an event stream: its events do not depend on how it is cut.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_client::testing::event_pieces_do_not_matter(data));
