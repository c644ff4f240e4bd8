//! The record of a run: operations in order, counts, and every difference between the daemon and the model.

use std::collections::VecDeque;
use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Operations that are kept to be shown next to a difference.
const HISTORY: usize = 20_000;
/// Lines of the history that a report shows.
const SHOWN: usize = 60;
/// Differences that a report shows; one cause often has many.
const REPORTED: usize = 12;

/// Collects what happened. Clones share the record.
#[derive(Debug, Clone)]
pub(crate) struct Oracle(Arc<Record>);

#[derive(Debug)]
struct Record {
    started: Instant,
    history: Mutex<VecDeque<String>>,
    differences: Mutex<Vec<Difference>>,
    operations: AtomicU64,
    observations: AtomicU64,
    faults: AtomicU64,
}

#[derive(Debug)]
struct Difference {
    /// The session, server or process that it is about, as in the history.
    subject: String,
    what: String,
    /// The end of the history when it was found.
    around: Vec<String>,
}

/// Counts of a run so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) operations: u64,
    pub(crate) observations: u64,
    pub(crate) faults: u64,
}

impl Oracle {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Record {
            started: Instant::now(),
            history: Mutex::default(),
            differences: Mutex::default(),
            operations: AtomicU64::new(0),
            observations: AtomicU64::new(0),
            faults: AtomicU64::new(0),
        }))
    }

    /// Notes an operation of a client and how it went.
    pub(crate) fn operation(&self, subject: &str, what: impl Display) {
        self.0.operations.fetch_add(1, Ordering::Relaxed);
        self.note(subject, what);
    }

    /// Notes a fault.
    pub(crate) fn fault(&self, what: impl Display) {
        self.0.faults.fetch_add(1, Ordering::Relaxed);
        self.note("fault", what);
    }

    /// Adds a line to the history.
    pub(crate) fn note(&self, subject: &str, what: impl Display) {
        let line = format!("{:9.3} [{subject}] {what}", self.0.started.elapsed().as_secs_f64());
        let mut history = held(&self.0.history);
        if history.len() == HISTORY {
            history.pop_front();
        }
        history.push_back(line);
    }

    /// Counts observations that were compared with the model.
    pub(crate) fn observed(&self, count: usize) {
        self.0.observations.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Reports a difference between the daemon and the model.
    pub(crate) fn differ(&self, subject: &str, what: impl Display) {
        let what = what.to_string();
        self.note(subject, format_args!("DIFFERENCE: {what}"));
        let mut differences = held(&self.0.differences);
        if differences.len() < REPORTED {
            let around = self.around(subject);
            differences.push(Difference { subject: subject.to_owned(), what, around });
        }
    }

    /// Reports a difference unless the expectation holds.
    pub(crate) fn expect(&self, holds: bool, subject: &str, what: impl FnOnce() -> String) {
        self.observed(1);
        if !holds {
            self.differ(subject, what());
        }
    }

    pub(crate) fn has_differences(&self) -> bool {
        !held(&self.0.differences).is_empty()
    }

    /// Returns the difference that was found first, with its subject.
    pub(crate) fn first_difference(&self) -> Option<String> {
        held(&self.0.differences).first().map(|first| format!("[{}] {}", first.subject, first.what))
    }

    pub(crate) fn counts(&self) -> Counts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            operations: count(&self.0.operations),
            observations: count(&self.0.observations),
            faults: count(&self.0.faults),
        }
    }

    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.0.started.elapsed()
    }

    /// The last lines about this subject and about faults.
    fn around(&self, subject: &str) -> Vec<String> {
        let history = held(&self.0.history);
        let (own, faults) = (format!("[{subject}]"), "[fault]");
        let fitting = history.iter().rev().filter(|line| line.contains(&own) || line.contains(faults));
        let mut lines: Vec<String> = fitting.take(SHOWN).cloned().collect();
        lines.reverse();
        lines
    }

    /// Describes every difference with the operations that led to it.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        for (number, difference) in held(&self.0.differences).iter().enumerate() {
            // Writing to a string does not fail.
            let _ =
                writeln!(text, "\ndifference {}: [{}] {}", number + 1, difference.subject, difference.what);
            if number < 3 {
                let _ = writeln!(text, "operations before it:\n{}", difference.around.join("\n"));
            }
        }
        text
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
