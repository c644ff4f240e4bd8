//! The properties over arbitrary input and over the seeds of fuzzing.

use proptest::prelude::*;
use sa_files::testing::{describe, described_archives_stay_inside, nothing_gets_out, raw_bytes_stay_inside};
use std::path::Path;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_links_and_paths(data in prop::collection::vec(any::<u8>(), 0..200)) {
        nothing_gets_out(&data);
    }

    #[test]
    fn arbitrary_archives(data in prop::collection::vec(any::<u8>(), 0..300)) {
        described_archives_stay_inside(&data);
    }

    #[test]
    fn archives_with_wrong_bytes(
        data in prop::collection::vec(any::<u8>(), 0..100),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut archive = describe(&data, "/outside");
        for (place, byte) in changes {
            let place = place.index(archive.len());
            archive[place] = byte;
        }
        raw_bytes_stay_inside(&archive);
    }
}

/// Returns the inputs that a fuzz target starts from.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let seeds = std::fs::read_dir(folder).unwrap();
    let seeds: Vec<_> = seeds.map(|seed| std::fs::read(seed.unwrap().path()).unwrap()).collect();
    assert!(!seeds.is_empty());
    seeds
}

#[test]
fn seeds_of_paths() {
    for seed in seeds("path_policy") {
        nothing_gets_out(&seed);
    }
}

#[test]
fn seeds_of_archives() {
    for seed in seeds("tar_upload") {
        raw_bytes_stay_inside(&seed);
        described_archives_stay_inside(&seed);
    }
}
