//! Cuts an agent's output into lines, whatever bytes it holds, within a bound.

use crate::buffer::{Buffers, FRAME_ROOM, LONG_BYTES};

/// One line of output, without its line ending.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// The line as it was written.
    Whole(&'a [u8]),
    /// A long line that came in several pieces. It lies in this buffer, behind [`FRAME_ROOM`] bytes, and can become a
    /// record in place.
    Gathered(Vec<u8>),
    /// A line beyond the limit: how it began, and how long it was.
    TooLong {
        /// The first bytes of the line.
        head: &'a [u8],
        /// The length of the line.
        length: u64,
    },
}

/// Collects bytes until they are lines. Holds at most one unfinished line.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The unfinished line behind its room; empty between lines.
    partial: Vec<u8>,
    /// Length of the unfinished line once it has outgrown the limit; its head stays in `partial`.
    overlong: Option<u64>,
    limit: usize,
    head: usize,
    /// The next long line takes its buffer from here.
    pub(crate) buffers: Buffers,
}

impl Lines {
    /// Lines of up to `limit` bytes; of a longer one the first `head` bytes are kept.
    pub(crate) fn new(limit: usize, head: usize) -> Self {
        Self { limit, head: head.min(limit), ..Self::default() }
    }

    /// Takes the next bytes and hands out every line they complete. Blank lines say nothing and are passed over.
    pub(crate) fn feed(&mut self, data: &[u8], mut each: impl FnMut(Line<'_>)) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', data) {
            let rest = data.get(start..end).unwrap_or_default();
            start = end + 1;
            if self.partial.is_empty() && rest.len() <= self.limit {
                let line = rest.strip_suffix(b"\r").unwrap_or(rest);
                if !is_blank(line) {
                    each(Line::Whole(line));
                }
            } else {
                self.keep(rest);
                self.finish(&mut each);
            }
        }
        self.keep(data.get(start..).unwrap_or_default());
    }

    /// Hands out what is left when no more bytes will come.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        // Taken, not cleared: a huge line must not leave its buffer behind for the rest of the server's life.
        let mut partial = std::mem::take(&mut self.partial);
        if let Some(length) = self.overlong.take() {
            return each(Line::TooLong { head: partial.get(FRAME_ROOM..).unwrap_or_default(), length });
        }
        partial.pop_if(|last| *last == b'\r');
        let line = partial.get(FRAME_ROOM..).unwrap_or_default();
        if is_blank(line) {
        } else if line.len() < LONG_BYTES {
            each(Line::Whole(line));
        } else {
            each(Line::Gathered(partial));
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.buffers.make_room(&mut self.partial, bytes.len());
        if self.partial.is_empty() {
            self.partial.reserve(FRAME_ROOM + bytes.len().min(self.limit));
            self.partial.resize(FRAME_ROOM, 0);
        }
        let length = self.partial.len() - FRAME_ROOM;
        if let Some(length) = &mut self.overlong {
            *length += bytes.len() as u64;
        } else if length + bytes.len() <= self.limit {
            self.partial.extend_from_slice(bytes);
        } else {
            self.overlong = Some((length + bytes.len()) as u64);
            self.partial.extend_from_slice(bytes.get(..self.head).unwrap_or(bytes));
            self.partial.truncate(FRAME_ROOM + self.head);
            self.partial.shrink_to_fit();
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(lines: &mut Lines, data: &[u8]) -> Vec<(Vec<u8>, Option<u64>)> {
        let mut seen = Vec::new();
        lines.feed(data, |line| match line {
            Line::Whole(bytes) => seen.push((bytes.to_vec(), None)),
            Line::Gathered(buffer) => seen.push((buffer[FRAME_ROOM..].to_vec(), None)),
            Line::TooLong { head, length } => seen.push((head.to_vec(), Some(length))),
        });
        seen
    }

    #[test]
    fn a_line_may_arrive_in_any_pieces() {
        let mut lines = Lines::new(100, 10);
        assert_eq!(collect(&mut lines, b"ab"), []);
        assert_eq!(
            collect(&mut lines, b"c\r\n\n  \nd\xff\ne"),
            [(b"abc".to_vec(), None), (b"d\xff".to_vec(), None)]
        );
        assert_eq!(collect(&mut lines, b"\n"), [(b"e".to_vec(), None)]);
    }

    #[test]
    fn a_line_ending_may_be_cut_in_two() {
        let mut lines = Lines::new(100, 10);
        assert_eq!(collect(&mut lines, b"ab\r"), []);
        assert_eq!(collect(&mut lines, b"\n\r"), [(b"ab".to_vec(), None)]);
        assert_eq!(collect(&mut lines, b"\n"), []);
    }

    #[test]
    fn an_overlong_line_is_reported_once_and_the_next_is_whole() {
        let mut lines = Lines::new(8, 3);
        assert_eq!(collect(&mut lines, b"0123"), []);
        assert_eq!(collect(&mut lines, b"45678"), []);
        assert_eq!(collect(&mut lines, b"9\nok\n"), [(b"012".to_vec(), Some(10)), (b"ok".to_vec(), None)]);
        assert_eq!(collect(&mut lines, b"123456789\n"), [(b"123".to_vec(), Some(9))]);
        assert_eq!(collect(&mut lines, b"12345678\n"), [(b"12345678".to_vec(), None)]);
    }

    #[test]
    fn only_a_long_line_in_pieces_is_handed_over_with_its_buffer() {
        let gathered = |pieces: &[&[u8]]| {
            let (mut lines, mut gathered) = (Lines::new(1 << 20, 10), Vec::new());
            for piece in pieces {
                lines.feed(piece, |line| gathered.push(matches!(line, Line::Gathered(_))));
            }
            gathered
        };
        let long = vec![b'x'; LONG_BYTES];
        assert_eq!(gathered(&[&long, b"\n"]), [true]);
        assert_eq!(gathered(&[&long[1..], b"\n"]), [false]);
        assert_eq!(gathered(&[&[&long[..], b"\n"].concat()]), [false]);
        assert_eq!(gathered(&[&[b' '; LONG_BYTES], b"\n"]), [] as [bool; 0]);
    }
}
