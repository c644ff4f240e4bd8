//! Which edges of the instrumented crates an input reached, and how often: a byte for each edge, which the compiled
//! code itself counts up. Without instrumentation there are none, and every input looks the same.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// The counters of the instrumented crates, as they announce them before `main`.
static ANNOUNCED: Mutex<Vec<&'static [AtomicU8]>> = Mutex::new(Vec::new());

/// Called once by each instrumented unit, all with the same bounds where the linker has put their counters together.
// SAFETY: the name is the one that LLVM's coverage expects; nothing else in the program has it.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *const AtomicU8, stop: *const AtomicU8) {
    let length = (stop as usize).saturating_sub(start as usize);
    if length == 0 {
        return;
    }
    // SAFETY: LLVM gives the bounds of a section of bytes that lives as long as the program. The code that counts does
    // it without synchronization; a count that is lost then makes the search a little less sharp and nothing else.
    let counters = unsafe { std::slice::from_raw_parts(start, length) };
    let mut announced = ANNOUNCED.lock();
    if !announced.iter().any(|other| std::ptr::eq(*other, counters)) {
        announced.push(counters);
    }
}

/// The edges that all inputs so far have reached.
pub(crate) struct Coverage {
    counters: Vec<&'static [AtomicU8]>,
    /// For each counter, the orders of magnitude that it was seen with.
    seen: Vec<u8>,
}

impl Coverage {
    /// Starts with no edge reached.
    pub(crate) fn new() -> Self {
        let counters = ANNOUNCED.lock().clone();
        let edges = counters.iter().map(|part| part.len()).sum();
        Self { counters, seen: vec![0; edges] }
    }

    pub(crate) fn edges(&self) -> usize {
        self.seen.len()
    }

    /// Returns the number of edges that were reached.
    pub(crate) fn reached(&self) -> usize {
        self.seen.iter().filter(|magnitudes| **magnitudes != 0).count()
    }

    /// Returns whether the last input reached an edge for the first time, or far more often.
    pub(crate) fn is_new(&mut self) -> bool {
        let mut new = false;
        let mut first = 0;
        for counters in &self.counters {
            // SAFETY: eight atomic bytes are as good as one atomic word, which `align_to` aligns; nothing else holds
            // references to these.
            #[allow(unsafe_code)]
            let (before, words, after) = unsafe { counters.align_to::<AtomicU64>() };
            let mut note = |at: usize, count: u8| {
                if let Some(seen) = self.seen.get_mut(at) {
                    new |= magnitude(count) & !*seen != 0;
                    *seen |= magnitude(count);
                }
            };
            for (at, counter) in before.iter().enumerate() {
                note(first + at, counter.swap(0, Ordering::Relaxed));
            }
            first += before.len();
            for (at, word) in words.iter().enumerate() {
                // Nearly all are 0, and there are thousands.
                if word.load(Ordering::Relaxed) != 0 {
                    for (byte, count) in word.swap(0, Ordering::Relaxed).to_ne_bytes().into_iter().enumerate()
                    {
                        note(first + at * 8 + byte, count);
                    }
                }
            }
            first += words.len() * 8;
            for (at, counter) in after.iter().enumerate() {
                note(first + at, counter.swap(0, Ordering::Relaxed));
            }
            first += after.len();
        }
        new
    }
}

/// One bit for each order of magnitude of a count.
fn magnitude(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128.. => 128,
    }
}
