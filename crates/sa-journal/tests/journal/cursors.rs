//! Cursors anywhere, at any time: a reader gets every record after its cursor, or a gap.

use crate::Batch;
use proptest::prelude::*;
use sa_journal::{Entry, Gap, Journal, Reader, Ring, Step};
use std::sync::Arc;

const READERS: usize = 5;

#[derive(Debug, Clone)]
enum Action {
    /// The writer appends records of these sizes.
    Append(Vec<u64>),
    /// This reader takes what comes next.
    Read(usize),
    /// This reader leaves, and another starts after this record.
    Start(usize, u64),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => prop::collection::vec(0..300_u64, 1..6).prop_map(Action::Append),
        5 => (0..READERS).prop_map(Action::Read),
        1 => (0..READERS, 0..150_u64).prop_map(|(reader, after)| Action::Start(reader, after)),
    ]
}

/// Everything that was appended, and the number of entries that are left.
#[derive(Default)]
struct Model {
    batches: Vec<Batch>,
    left: usize,
}

impl Model {
    fn append(&mut self, sizes: &[u64], limit: usize) -> Batch {
        let batch = self.batches.last().map_or_else(|| Batch::of(sizes), |last| last.next(sizes));
        self.batches.push(batch.clone());
        self.left += 1;
        while self.left > 1 && self.kept().iter().map(Entry::cost).sum::<usize>() > limit {
            self.left -= 1;
        }
        batch
    }

    fn kept(&self) -> &[Batch] {
        &self.batches[self.batches.len() - self.left..]
    }

    fn oldest(&self) -> u64 {
        self.kept().first().map_or(0, Entry::first)
    }

    fn newest(&self) -> u64 {
        self.batches.last().map_or(0, Entry::last)
    }

    fn end(&self) -> u64 {
        self.batches.last().map_or(0, Batch::end)
    }

    /// Returns the number of bytes up to and including this record, which was appended.
    fn position(&self, record: u64) -> u64 {
        let sizes = self.batches.iter().flat_map(|batch| &batch.sizes);
        sizes.take(record as usize).sum()
    }
}

/// Takes a step and compares it with the model; false at the end.
fn step(reader: &mut Reader<Batch>, model: &Model, known: &mut bool) -> bool {
    let after = reader.cursor();
    match reader.try_step() {
        Some(Step::Entry(batch)) => {
            assert!(batch.first <= after + 1 && after < batch.last(), "the next record is in there");
            assert!(model.kept().contains(&batch));
            assert_eq!(reader.cursor(), batch.last());
            *known = true;
            true
        }
        Some(Step::Gap(Gap { oldest, newest, lost })) => {
            assert!(after > model.newest() || after + 1 < model.oldest(), "a gap without need");
            assert_eq!((oldest, newest), (model.oldest(), model.newest()));
            assert_eq!(reader.cursor(), oldest.saturating_sub(1));
            let missing = || model.position(oldest.saturating_sub(1)) - model.position(after);
            assert_eq!(lost, known.then(missing), "every byte is read or reported as lost");
            *known = true;
            true
        }
        None => {
            assert_eq!(after, model.newest());
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_reader_gets_every_record_or_a_gap(
        limit in prop_oneof![Just(0_usize), 50..3000_usize, Just(usize::MAX)],
        actions in prop::collection::vec(action(), 1..200),
    ) {
        let journal = Arc::new(Journal::new(Ring::new(limit)));
        let mut model = Model::default();
        // True while the position of a reader's cursor is known.
        let mut readers: Vec<(Reader<Batch>, bool)> = (0..READERS).map(|_| (journal.reader(0), true)).collect();
        for action in actions {
            match action {
                Action::Append(sizes) => {
                    journal.append(model.append(&sizes, limit));
                    prop_assert_eq!(journal.ring().entries().count(), model.left);
                }
                Action::Read(index) => {
                    let (reader, known) = &mut readers[index];
                    step(reader, &model, known);
                }
                Action::Start(index, after) => {
                    let in_ring = after + 1 >= model.oldest() && after <= model.newest();
                    readers[index] = (journal.reader(after), after == 0 || in_ring);
                }
            }
            let ring = journal.ring();
            prop_assert_eq!((ring.oldest(), ring.newest(), ring.end()), (model.oldest(), model.newest(), model.end()));
            prop_assert_eq!(ring.cost(), model.kept().iter().map(Entry::cost).sum::<usize>());
            prop_assert!(ring.cost() <= limit || model.left == 1);
            prop_assert_eq!(ring.start(), model.kept().first().map_or(0, |batch| batch.start));
        }
        for (reader, known) in &mut readers {
            while step(reader, &model, known) {}
            prop_assert_eq!(reader.cursor(), model.newest(), "in the end everybody is at the end");
        }
    }

    #[test]
    fn positions_count_everything_before_a_cursor(
        limit in 0..2000_usize,
        batches in prop::collection::vec(prop::collection::vec(0..300_u64, 1..6), 1..30),
    ) {
        let (mut ring, mut model) = (Ring::new(limit), Model::default());
        for sizes in batches {
            ring.append(model.append(&sizes, limit));
        }
        for after in 0..model.newest() + 2 {
            let is_known = after == 0 || (after + 1 >= model.oldest() && after <= model.newest());
            prop_assert_eq!(ring.position_after(after), is_known.then(|| model.position(after)));
            let rest: Vec<&Batch> = model.kept().iter().filter(|batch| batch.last() > after).collect();
            prop_assert_eq!(ring.entries_after(after).collect::<Vec<_>>(), rest);
        }
    }
}

#[test]
fn a_ring_that_continues_another_never_skips_for_a_cursor_of_that_one() {
    let mut ring = Ring::continuing(1000, 70);
    let gap = |oldest, newest| Err(Gap { oldest, newest, lost: None });
    for cursor in [1, 69, 71, u64::MAX] {
        assert_eq!(ring.read(cursor), gap(0, 70));
    }
    assert_eq!((ring.read(0), ring.read(70)), (Ok(None), Ok(None)));
    let batch = Batch { first: 71, start: 0, sizes: vec![5, 5] };
    ring.append(batch.clone());
    assert_eq!(ring.read(69), gap(71, 72));
    for beginning in [0, 70, 71] {
        assert_eq!(ring.read(beginning), Ok(Some(&batch)));
    }
    assert_eq!(
        (ring.position_after(0), ring.position_after(71), ring.position_after(69)),
        (Some(0), Some(5), None)
    );
}

#[test]
fn a_new_limit_counts_from_the_next_entry() {
    let mut ring = Ring::new(1000);
    let mut batch = Batch::of(&[100]);
    for _ in 0..5 {
        ring.append(batch.clone());
        batch = batch.next(&[100]);
    }
    ring.set_limit(250);
    assert_eq!(ring.entries().count(), 5);
    ring.append(batch);
    let left: Vec<u64> = ring.entries().map(|batch| batch.first).collect();
    assert_eq!(left, [5, 6]);
}
