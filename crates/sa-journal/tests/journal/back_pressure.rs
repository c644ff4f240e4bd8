//! Readers that lag hold the writer back while they keep reading.

use crate::Batch;
use sa_journal::{Journal, Ring};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LAG: usize = 100;
/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

fn journal(bytes: usize) -> Arc<Journal<Batch>> {
    let journal = Arc::new(Journal::new(Ring::new(usize::MAX)));
    journal.append(Batch::of(&[bytes as u64]));
    journal
}

/// Returns whether the writer has been nudged.
fn is_nudged(journal: &Journal<Batch>) -> bool {
    let mut nudged = std::pin::pin!(journal.nudged());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    nudged.as_mut().poll(&mut context).is_ready()
}

#[test]
fn a_reader_that_lags_holds_the_writer_until_it_catches_up() {
    let journal = journal(LAG + 1);
    assert_eq!(journal.hold(LAG, LONG), None, "nobody reads");
    let mut reader = journal.reader(0);
    let hold = journal.hold(LAG, LONG).unwrap();
    assert!(hold.is_new && hold.until > Instant::now() + LONG / 2);
    assert!(!journal.hold(LAG, LONG).unwrap().is_new, "the writer waits already");
    assert!(!is_nudged(&journal));
    reader.try_step().unwrap();
    assert!(is_nudged(&journal), "the writer waits for this");
    assert_eq!(journal.hold(LAG, LONG), None);
    assert!(!is_nudged(&journal));
}

#[test]
fn a_reader_within_the_lag_holds_nobody() {
    let journal = journal(LAG);
    let mut reader = journal.reader(0);
    assert_eq!(journal.hold(LAG, LONG), None);
    reader.try_step().unwrap();
    assert!(!is_nudged(&journal), "nobody waits for this");
}

#[test]
fn a_small_ring_waits_for_readers_before_their_place_leaves_it() {
    let journal = Arc::new(Journal::new(Ring::new(100)));
    let _reader = journal.reader(0);
    let batch = Batch::of(&[25]);
    journal.append(batch.clone());
    assert_eq!(journal.hold(LAG, LONG), None);
    journal.append(batch.next(&[1]));
    assert!(journal.hold(LAG, LONG).is_some());
}

#[test]
fn a_reader_that_stalls_holds_nobody_but_one_that_is_patient_does() {
    let journal = journal(LAG + 1);
    let stalled = journal.reader(0);
    assert_eq!(journal.hold(LAG, Duration::ZERO), None);
    let patient = journal.reader(0);
    patient.hold_writer();
    assert!(journal.hold(LAG, Duration::ZERO).unwrap().is_new);
    drop(patient);
    assert!(is_nudged(&journal), "a reader left");
    assert_eq!(journal.hold(LAG, Duration::ZERO), None);
    assert_eq!((journal.readers(), drop(stalled), journal.readers()), (1, (), 0));
}

#[test]
fn a_pulse_counts_as_progress() {
    let journal = journal(LAG + 1);
    let reader = journal.reader(0);
    let before = journal.hold(LAG, LONG).unwrap().until;
    let pulse = reader.pulse();
    let began = Instant::now();
    while journal.hold(LAG, LONG).unwrap().until == before {
        assert!(began.elapsed() < Duration::from_secs(30), "the time of progress stands");
        std::thread::yield_now();
        pulse.beat();
    }
    drop(reader);
    pulse.beat();
}

#[test]
fn a_reader_is_not_behind_by_what_has_left_the_ring() {
    let journal = Arc::new(Journal::new(Ring::new(4 * LAG)));
    let first = Batch::of(&[10 * LAG as u64]);
    journal.append(first.clone());
    journal.append(first.next(&[LAG as u64]));
    let _reader = journal.reader(0);
    assert_eq!(journal.hold(LAG, LONG), None);
}
