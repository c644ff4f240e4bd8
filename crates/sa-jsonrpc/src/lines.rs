//! Frames messages that are sent as lines, within a bound.

/// Bytes to reserve for one read.
const CHUNK: usize = 64 << 10;
/// The largest capacity that is kept between lines.
const MAX_IDLE_BYTES: usize = 1 << 20;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    Whole(&'a [u8]),
    /// The length of a line beyond the limit, which was not kept.
    TooLong(u64),
}

/// A buffer that cuts bytes into lines. It skips blank lines. A line ends with LF, CRLF or the end of the input.
#[derive(Debug)]
pub struct LineBuffer {
    limit: usize,
    bytes: Vec<u8>,
    start: usize,
    /// No line ends before this index.
    searched: usize,
    /// Bytes of an overlong line that were discarded.
    skipped: u64,
    is_finished: bool,
}

impl LineBuffer {
    /// Creates a buffer for lines of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), start: 0, searched: 0, skipped: 0, is_finished: false }
    }

    /// Returns the buffer to append input to, with room for one read.
    pub fn spare(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start.min(self.bytes.len()));
        self.start = 0;
        if self.bytes.len() > self.limit {
            self.skipped += self.bytes.len() as u64;
            self.bytes.clear();
        }
        self.searched = self.bytes.len();
        if self.bytes.is_empty() && self.bytes.capacity() > MAX_IDLE_BYTES {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(CHUNK);
        &mut self.bytes
    }

    /// Notes the end of the input.
    pub fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Returns whether the input has ended.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns whether [`LineBuffer::take`] has a line to return.
    pub fn has_line(&mut self) -> bool {
        self.find().is_some()
    }

    pub fn take(&mut self) -> Option<Line<'_>> {
        let (end, next) = self.find()?;
        let start = std::mem::replace(&mut self.start, next);
        self.searched = next;
        let length = std::mem::take(&mut self.skipped) + (end - start) as u64;
        if length > self.limit as u64 {
            return Some(Line::TooLong(length));
        }
        let line = self.bytes.get(start..end).unwrap_or_default();
        Some(Line::Whole(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Returns the end of the next line that is not blank, and the start of the line after it.
    fn find(&mut self) -> Option<(usize, usize)> {
        loop {
            let unseen = self.bytes.get(self.searched..).unwrap_or_default();
            let (end, next) = match memchr::memchr(b'\n', unseen) {
                Some(offset) => (self.searched + offset, self.searched + offset + 1),
                None if self.is_finished && (self.start < self.bytes.len() || self.skipped > 0) => {
                    (self.bytes.len(), self.bytes.len())
                }
                None => {
                    self.searched = self.bytes.len();
                    return None;
                }
            };
            let line = self.bytes.get(self.start..end).unwrap_or_default();
            if self.skipped > 0 || !line.iter().all(u8::is_ascii_whitespace) {
                self.searched = end;
                return Some((end, next));
            }
            (self.start, self.searched) = (next, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_in_pieces(input: &[u8], limit: usize, piece: usize) -> Vec<String> {
        let mut buffer = LineBuffer::new(limit);
        let mut seen = Vec::new();
        let mut pieces = input.chunks(piece);
        while !buffer.is_finished() {
            match pieces.next() {
                Some(bytes) => buffer.spare().extend_from_slice(bytes),
                None => buffer.finish(),
            }
            while let Some(line) = buffer.take() {
                seen.push(match line {
                    Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    Line::TooLong(length) => format!("<{length}>"),
                });
            }
        }
        seen
    }

    #[track_caller]
    fn check(input: &[u8], limit: usize, expected: &[&str]) {
        for piece in [1, 2, 3, 7, 70_000, 1 << 20] {
            assert_eq!(lines_in_pieces(input, limit, piece), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn lines_are_cut_at_their_ends() {
        check(b"a\r\n\n  \nbc\nd", 10, &["a", "bc", "d"]);
        check(b"", 10, &[]);
        check(b"\n\n", 10, &[]);
    }

    #[test]
    fn an_overlong_line_is_measured_and_the_next_is_whole() {
        check(b"12345\n123456\nok\n", 5, &["12345", "<6>", "ok"]);
        check(&[b"x".repeat(300_000).as_slice(), b"\nok"].concat(), 100_000, &["<300000>", "ok"]);
        check(&b"y".repeat(7), 5, &["<7>"]);
    }
}
