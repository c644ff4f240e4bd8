//! Any bytes as an archive, and as the description of one: nothing outside of the target changes.
#![no_main]

#[path = "../../crates/sa-files/tests/files/archives.rs"]
mod archives;
#[path = "../../crates/sa-files/tests/files/pieces.rs"]
mod pieces;
#[path = "../../crates/sa-files/tests/files/world.rs"]
mod world;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    archives::raw_bytes_stay_inside(data);
    archives::described_archives_stay_inside(data);
});
