//! Any bytes as a `SKILL.md`: its name is one plain name.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_skills::testing::names_are_plain(data));
