//! Counts the numbered messages of an event stream: how many came, which are missing, which came twice, and
//! whether a hole was announced by a `gap` event. Incremental and without copies but for the beginning of a line
//! that two reads share.

use crate::message::{Numbered, PREFIX_BYTES};

/// Enough of a line to read its field name and, in a `data` line, the message's number.
const LINE_BYTES: usize = PREFIX_BYTES + 16;

/// The records that a reader has seen so far.
#[derive(Debug)]
pub struct Tally {
    next: u64,
    received: u64,
    lost: u64,
    duplicated: u64,
    told: u64,
    gap_announced: bool,
    gaps: u64,
    /// As it came: it changes with every message and is asked for rarely.
    last_id: Vec<u8>,
    is_message: bool,
    line: Vec<u8>,
}

impl Tally {
    /// Creates a reader that expects the message with this number first.
    pub fn new(first: u64) -> Self {
        Self {
            next: first,
            received: 0,
            lost: 0,
            duplicated: 0,
            told: 0,
            gap_announced: false,
            gaps: 0,
            last_id: Vec::new(),
            is_message: true,
            line: Vec::with_capacity(LINE_BYTES),
        }
    }

    /// Numbered messages that came.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Messages whose fate is known: they came, or something after them did.
    pub fn accounted(&self) -> u64 {
        self.received - self.duplicated + self.lost + self.told
    }

    /// Messages skipped without a word.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Messages that came again, or out of order.
    pub fn duplicated(&self) -> u64 {
        self.duplicated
    }

    /// Messages skipped after a `gap` event had said so.
    pub fn told(&self) -> u64 {
        self.told
    }

    /// Returns the number of `gap` events.
    pub fn gaps(&self) -> u64 {
        self.gaps
    }

    /// Returns the last `id` of the stream: the cursor to continue from.
    pub fn last_id(&self) -> Option<u64> {
        std::str::from_utf8(&self.last_id).ok()?.parse().ok()
    }

    /// Takes a part of the stream.
    pub fn push(&mut self, input: &[u8]) {
        self.push_with(input, |_| {});
    }

    /// Takes a part of the stream and shows each numbered message as it comes.
    pub fn push_with(&mut self, input: &[u8], mut each: impl FnMut(Numbered)) {
        let mut rest = input;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, tail) = rest.split_at(end);
            if self.line.is_empty() {
                self.take_line(line, &mut each);
            } else {
                self.keep(line);
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, &mut each);
                self.line = line;
                self.line.clear();
            }
            rest = &tail[1..];
        }
        self.keep(rest);
    }

    fn keep(&mut self, part: &[u8]) {
        let room = LINE_BYTES - self.line.len();
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn take_line(&mut self, line: &[u8], each: &mut impl FnMut(Numbered)) {
        match line.first() {
            None => self.is_message = true,
            Some(b'd') => {
                let data = value(line, b"data:").filter(|_| self.is_message);
                if let Some(message) = data.and_then(Numbered::parse) {
                    self.count(message.number);
                    each(message);
                }
            }
            Some(b'i') => {
                if let Some(id) = value(line, b"id:") {
                    self.last_id.clear();
                    self.last_id.extend_from_slice(id);
                }
            }
            Some(b'e') => {
                let name = value(line, b"event:").unwrap_or_default();
                self.is_message = name == b"message";
                if name == b"gap" {
                    self.gaps += 1;
                    self.gap_announced = true;
                }
            }
            Some(_) => {}
        }
    }

    fn count(&mut self, number: u64) {
        self.received += 1;
        if number == 0 {
            return;
        }
        if number < self.next {
            self.duplicated += 1;
            return;
        }
        let missing = number - self.next;
        if self.gap_announced {
            self.told += missing;
        } else {
            self.lost += missing;
        }
        self.gap_announced = false;
        self.next = number + 1;
    }
}

/// Returns the value of a field, without the one space that may precede it.
fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let value = line.strip_prefix(name)?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Template;

    fn stream(numbers: &[u64]) -> Vec<u8> {
        let mut out = b"retry: 1000\n\n: hello\n\n".to_vec();
        let mut template = Template::new(300);
        for (id, number) in numbers.iter().enumerate() {
            if *number == 0 {
                out.extend_from_slice(b"event: gap\ndata: {\"oldest\":1,\"newest\":9}\n\n");
                continue;
            }
            template.set(*number, 7);
            out.extend_from_slice(format!("event: message\nid: {}\ndata: ", id + 10).as_bytes());
            out.extend_from_slice(template.line());
            out.extend_from_slice(
                b"\nevent: message\nid: 99\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
            );
        }
        out
    }

    fn check(numbers: &[u64], received: u64, lost: u64, duplicated: u64, told: u64) {
        let bytes = stream(numbers);
        for cut in 0..=bytes.len() {
            let mut tally = Tally::new(1);
            tally.push(&bytes[..cut]);
            tally.push(&bytes[cut..]);
            assert_eq!(
                (tally.received(), tally.lost(), tally.duplicated(), tally.told()),
                (received, lost, duplicated, told),
                "{numbers:?} cut at {cut}"
            );
        }
    }

    #[test]
    fn holes_and_repeats_are_counted_wherever_the_stream_is_cut() {
        check(&[1, 2, 3], 3, 0, 0, 0);
        check(&[1, 4, 5], 3, 2, 0, 0);
        check(&[2, 2, 1], 3, 1, 2, 0);
        check(&[1, 0, 5, 7], 3, 1, 0, 3);
    }

    #[test]
    fn a_stream_of_single_bytes_tells_the_same() {
        let mut tally = Tally::new(1);
        let mut times = Vec::new();
        for byte in stream(&[1, 2, 4]) {
            tally.push_with(&[byte], |message| times.push(message.written_at));
        }
        assert_eq!((tally.received(), tally.lost(), tally.last_id()), (3, 1, Some(99)));
        assert_eq!(times, [7, 7, 7]);
    }
}
