//! Any bytes as documents of registries: versions are plain names, and no token goes astray.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sa_install::testing::published_documents_stay_in_bounds(data));
