//! Any bytes as an archive, and as the description of one: nothing outside of the target changes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    sa_files::testing::raw_bytes_stay_inside(data);
    sa_files::testing::described_archives_stay_inside(data);
});
