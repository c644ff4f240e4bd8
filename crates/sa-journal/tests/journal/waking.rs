//! Readers that wait are woken by entries and by the end.

use crate::Batch;
use sa_journal::{Journal, Ring, Step};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_entry_and_the_end_wake_a_reader_that_waits() {
    let journal = Arc::new(Journal::new(Ring::new(1000)));
    let mut reader = journal.reader(0);
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut context = Context::from_waker(&waker);
    assert_eq!(reader.poll_step(&mut context), Poll::Pending);
    let batch = Batch::of(&[1]);
    journal.append(batch.clone());
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert_eq!(reader.poll_step(&mut context), Poll::Ready(Some(Step::Entry(batch.clone()))));
    assert_eq!(reader.poll_step(&mut context), Poll::Pending);
    journal.append(batch.next(&[1]));
    journal.close();
    assert!(wakes.0.load(Ordering::Relaxed) >= 2);
    let mut context = Context::from_waker(Waker::noop());
    assert!(
        matches!(reader.poll_step(&mut context), Poll::Ready(Some(Step::Entry(_)))),
        "what came before the end"
    );
    assert_eq!(reader.poll_step(&mut context), Poll::Ready(None));
}

#[test]
fn readers_on_other_threads_miss_nothing() {
    const COUNT: u64 = 20_000;
    let journal = Arc::new(Journal::new(Ring::new(usize::MAX)));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let mut reader = journal.reader(0);
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async move {
                    while let Some(step) = reader.step().await {
                        assert!(matches!(step, Step::Entry(_)));
                    }
                    reader.cursor()
                })
            })
        })
        .collect();
    let mut batch = Batch::of(&[1]);
    for _ in 0..COUNT {
        let next = batch.next(&[1]);
        journal.append(std::mem::replace(&mut batch, next));
    }
    journal.close();
    for reader in readers {
        assert_eq!(reader.join().unwrap(), COUNT);
    }
}
