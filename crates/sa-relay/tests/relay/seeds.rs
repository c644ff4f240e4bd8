//! The seeds of the fuzz target `relay_stream`, so that every run of the tests checks what fuzzing starts from.

use sa_relay::testing::pieces_do_not_matter;
use std::path::Path;

#[test]
fn pieces_do_not_matter_for_any_seed_nor_for_its_beginnings() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/relay_stream");
    let mut count = 0;
    for entry in std::fs::read_dir(&seeds).unwrap() {
        let seed = std::fs::read(entry.unwrap().path()).unwrap();
        for end in 0..=seed.len() {
            pieces_do_not_matter(&seed[..end]);
        }
        count += 1;
    }
    assert!(count >= 5, "{} holds {count} seeds", seeds.display());
}
