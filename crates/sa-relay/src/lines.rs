//! Cuts an agent's output into lines, whatever bytes it holds, within a bound.

use crate::buffer::{Buffers, FRAME_ROOM, LONG_BYTES};
use bytes::BytesMut;

/// One line of output, without its line ending.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OutputLine<'a> {
    Whole(&'a [u8]),
    /// A long line that came in several pieces. It lies in this buffer, behind [`FRAME_ROOM`] bytes, and can become a
    /// record in place.
    Gathered(BytesMut),
    /// A line beyond the limit: how it began, and how long it was.
    TooLong {
        /// The first bytes of the line.
        head: &'a [u8],
        length: u64,
    },
}

/// Collects bytes until they are lines. Holds at most one unfinished line.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The unfinished line behind its room; empty between lines.
    partial: BytesMut,
    /// Length of the unfinished line once it has outgrown the limit; its head stays in `partial`.
    overlong: Option<u64>,
    limit: usize,
    head: usize,
    /// Long lines take their memory from here.
    pub(crate) buffers: Buffers,
}

impl Lines {
    /// Lines of up to `limit` bytes; of a longer one the first `head` bytes are kept.
    pub(crate) fn new(limit: usize, head: usize) -> Self {
        Self { limit, head: head.min(limit), ..Self::default() }
    }

    /// Takes the next bytes and hands out every line they complete. Blank lines say nothing and are passed over.
    pub(crate) fn feed(&mut self, data: &[u8], mut each: impl FnMut(OutputLine<'_>)) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', data) {
            let rest = data.get(start..end).unwrap_or_default();
            start = end + 1;
            if self.partial.is_empty() && rest.len() <= self.limit {
                let line = rest.strip_suffix(b"\r").unwrap_or(rest);
                if !is_blank(line) {
                    each(OutputLine::Whole(line));
                }
            } else {
                self.keep(rest);
                let following = data.get(start..).unwrap_or_default();
                let following = memchr::memrchr(b'\n', following).map_or(0, |last| last + 1);
                self.end_line(following, &mut each);
            }
        }
        self.keep(data.get(start..).unwrap_or_default());
    }

    /// Hands out what is left when no more bytes will come.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(OutputLine<'_>)) {
        self.end_line(0, &mut each);
    }

    /// Returns whether the next bytes continue a long line.
    pub(crate) fn is_gathering(&self) -> bool {
        self.partial.len() >= LONG_BYTES
    }

    /// Hands out the line that was kept. Other lines, `following` bytes of them, were read with its end.
    fn end_line(&mut self, following: usize, each: &mut impl FnMut(OutputLine<'_>)) {
        // Taken, not cleared: a huge line must not leave its buffer behind for the rest of the server's life.
        let mut partial = std::mem::take(&mut self.partial);
        if let Some(length) = self.overlong.take() {
            return each(OutputLine::TooLong { head: partial.get(FRAME_ROOM..).unwrap_or_default(), length });
        }
        if partial.last() == Some(&b'\r') {
            partial.truncate(partial.len() - 1);
        }
        let line = partial.get(FRAME_ROOM..).unwrap_or_default();
        if is_blank(line) {
            self.buffers.put_back(partial);
        } else if line.len() < LONG_BYTES {
            each(OutputLine::Whole(line));
            self.buffers.put_back(partial);
        } else {
            self.buffers.complete(&mut partial, following);
            each(OutputLine::Gathered(partial));
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if let Some(length) = &mut self.overlong {
            *length += bytes.len() as u64;
            return;
        }
        let length = self.partial.len().saturating_sub(FRAME_ROOM);
        let kept = if length + bytes.len() <= self.limit { bytes.len() } else { 0 };
        self.buffers.make_room(&mut self.partial, kept);
        if self.partial.is_empty() {
            self.partial.reserve(FRAME_ROOM + kept);
            self.partial.resize(FRAME_ROOM, 0);
        }
        if kept > 0 {
            return self.partial.extend_from_slice(bytes);
        }
        self.overlong = Some((length + bytes.len()) as u64);
        let mut head = BytesMut::with_capacity(FRAME_ROOM + self.head);
        let (begun, more) = (self.partial.iter(), bytes.iter());
        head.extend(begun.chain(more).take(FRAME_ROOM + self.head));
        self.buffers.put_back(std::mem::replace(&mut self.partial, head));
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
            OutputLine::Whole(bytes) => seen.push((bytes.to_vec(), None)),
            OutputLine::Gathered(buffer) => seen.push((buffer[FRAME_ROOM..].to_vec(), None)),
            OutputLine::TooLong { head, length } => seen.push((head.to_vec(), Some(length))),
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
                lines.feed(piece, |line| gathered.push(matches!(line, OutputLine::Gathered(_))));
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
