//! The output of a running tool call: reported in pieces, as long as they are not too many.
//!
//! A log that had every step of a long build as a whole message would consist of nothing else. So each call has an account: what it
//! prints is paid in, what is reported of it is taken out. A piece that there is nothing left for waits for those after it, for the
//! call's end, or for [`Live::take`].

use crate::json;
use crate::printed::{News, news, tail};
use serde_json::Value;

/// Bytes of events about a call that are reported whatever it prints.
const FREE: usize = 8 << 10;

/// About the bytes that an event takes in addition to its text.
const ENVELOPE: usize = 320;

/// Text that waits to be reported; the newest of it if there is more.
const WAITING: usize = 4 << 10;

/// Paid in for a text that is another than before: an agent may draw the same again and again.
const OTHER: usize = 256;

/// Stands for text that was left out.
const CUT: &str = "\n[…]\n";

/// The account of one call.
#[derive(Debug, Default)]
pub(super) struct Live {
    paid: usize,
    spent: usize,
    waiting: String,
    /// Set once anything was printed.
    pub(super) prints: bool,
    reported: Reported,
}

/// The newest whole message about a call, compared with the call.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Reported {
    /// Everything but the text that waits is in it.
    #[default]
    Whole,
    /// Pieces of text were reported after it.
    InPieces,
    /// More has changed than a piece of text can say.
    Outdated,
}

impl Live {
    /// Notes a change that only a whole message can say.
    pub(super) fn outdate(&mut self) {
        self.reported = Reported::Outdated;
    }

    /// Returns true if only a whole message can say what has changed.
    pub(super) fn is_outdated(&self) -> bool {
        self.reported == Reported::Outdated
    }

    /// Takes the text that the call shows now. Returns the piece of it to report.
    pub(super) fn show(&mut self, old: &str, new: &str) -> Option<String> {
        let found = if self.prints { news(old, new) } else { News::More(new) };
        self.prints = true;
        match found {
            News::More(more) => {
                self.paid += written(more);
                self.waiting.push_str(more);
            }
            News::Other => {
                self.paid += written(tail(new, OTHER)).min(OTHER);
                self.waiting = format!("{CUT}{}", tail(new, WAITING));
            }
        }
        if self.waiting.len() > WAITING + CUT.len() {
            self.waiting = format!("{CUT}{}", tail(&self.waiting, WAITING));
        }
        if self.waiting.is_empty() {
            // The text became shorter, or an empty one appeared: no piece can say that.
            self.outdate();
            return None;
        }
        if self.affords(ENVELOPE + written(&self.waiting)) { self.take() } else { None }
    }

    /// Returns true if the account has enough for a whole message of that many bytes.
    pub(super) fn affords(&self, bytes: usize) -> bool {
        self.spent + bytes <= FREE + self.paid + self.paid / 2
    }

    /// Takes the piece that waits.
    pub(super) fn take(&mut self) -> Option<String> {
        if self.waiting.is_empty() {
            return None;
        }
        self.spent += ENVELOPE + written(&self.waiting);
        if !self.is_outdated() {
            self.reported = Reported::InPieces;
        }
        Some(std::mem::take(&mut self.waiting))
    }

    /// Notes that a whole message was reported; nothing waits any more.
    pub(super) fn reported_whole(&mut self, bytes: usize) {
        self.spent += bytes;
        self.waiting.clear();
        self.reported = Reported::Whole;
    }

    /// Returns true if the newest whole message has the newest state.
    pub(super) fn is_whole(&self) -> bool {
        self.waiting.is_empty() && self.reported == Reported::Whole
    }

    /// Returns true if something is not reported yet.
    pub(super) fn owes(&self) -> bool {
        self.is_outdated() || !self.waiting.is_empty()
    }
}

/// The bytes of a text in JSON.
fn written(text: &str) -> usize {
    let extra = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..32 => 5,
        _ => 0,
    };
    text.len() + text.bytes().map(extra).sum::<usize>()
}

/// The output in the way of clients that draw terminals, which is in pieces while a call runs.
pub(super) fn terminal(metadata: &mut json::Object) -> Option<&mut Value> {
    metadata.get_mut("_meta")?.get_mut("terminal_output")?.get_mut("data")
}
