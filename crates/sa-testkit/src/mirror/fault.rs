//! How answers fail.

use std::time::Duration;

/// One way in which an answer fails. Several may hold at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Closes the connection after so many bytes of the body.
    CutAfter(usize),
    /// Answers this status instead.
    Status(u16),
    /// Changes a byte, so that no checksum fits; the first one of what is sent.
    Corrupt,
    /// Answers with everything, whatever part was asked for.
    IgnoreRange,
    /// Sends so many bytes, then pauses, again and again.
    Slow(usize, Duration),
    /// Sends so many bytes, then nothing more, and keeps the connection open.
    HangAfter(usize),
    /// Says nothing of the length, and sends the body again and again.
    Endless,
}

#[derive(Debug, Default)]
pub(super) struct Faults {
    entries: Vec<Planned>,
}

#[derive(Debug)]
struct Planned {
    path: String,
    fault: Fault,
    /// The number of times that it will still happen; always if absent.
    left: Option<u32>,
}

impl Faults {
    pub(super) fn add(&mut self, path: String, fault: Fault, times: Option<u32>) {
        self.entries.push(Planned { path, fault, left: times });
    }

    /// Takes the faults of the next answer for a path.
    pub(super) fn next(&mut self, path: &str) -> Vec<Fault> {
        let mut now = Vec::new();
        for planned in self.entries.iter_mut().filter(|planned| matches(&planned.path, path)) {
            match &mut planned.left {
                Some(0) => continue,
                Some(left) => *left -= 1,
                None => {}
            }
            now.push(planned.fault.clone());
        }
        now
    }
}

/// Returns whether a pattern, which may end with `*`, matches a path.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => path.starts_with(beginning),
        None => pattern == path,
    }
}
