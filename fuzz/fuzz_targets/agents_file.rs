//! Any bytes as definitions of agents: what is accepted can be named and started.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_agents::testing::definitions_can_be_started(data));
