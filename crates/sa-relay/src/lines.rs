//! Cuts an agent's output into lines, whatever bytes it holds, within a bound.

/// One line of output, without its line ending.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The line as it was written.
    Whole(&'a [u8]),
    /// A line beyond the limit: how it began, and how long it was.
    TooLong {
        /// Its first bytes.
        head: &'a [u8],
        /// Its whole length.
        length: u64,
    },
}

/// Collects bytes until they are lines. Holds at most one unfinished line.
#[derive(Debug)]
pub struct Lines {
    partial: Vec<u8>,
    /// Length of the unfinished line once it has outgrown the limit; its head stays in `partial`.
    overlong: Option<u64>,
    limit: usize,
    head: usize,
}

impl Lines {
    /// Lines of up to `limit` bytes; of a longer one the first `head` bytes are kept.
    pub fn new(limit: usize, head: usize) -> Self {
        Self { partial: Vec::new(), overlong: None, limit, head: head.min(limit) }
    }

    /// Takes the next bytes and hands out every line they complete. Blank lines say nothing and are passed over.
    pub fn feed(&mut self, data: &[u8], mut each: impl FnMut(Line<'_>)) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', data) {
            let rest = data.get(start..end).unwrap_or_default();
            start = end + 1;
            if self.partial.is_empty() && self.overlong.is_none() && rest.len() <= self.limit {
                emit(Line::Whole(rest), &mut each);
            } else {
                self.keep(rest);
                self.finish(&mut each);
            }
        }
        self.keep(data.get(start..).unwrap_or_default());
    }

    /// Hands out what is left when no more bytes will come.
    pub fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        let line = match self.overlong.take() {
            Some(length) => Line::TooLong { head: &self.partial, length },
            None => Line::Whole(&self.partial),
        };
        emit(line, &mut each);
        // A huge line must not leave its buffer behind for the rest of the server's life.
        self.partial = Vec::new();
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(length) = &mut self.overlong {
            *length += bytes.len() as u64;
        } else if self.partial.len() + bytes.len() <= self.limit {
            self.partial.extend_from_slice(bytes);
        } else {
            self.overlong = Some((self.partial.len() + bytes.len()) as u64);
            let wanted = self.head.saturating_sub(self.partial.len()).min(bytes.len());
            self.partial.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
            self.partial.truncate(self.head);
            self.partial.shrink_to_fit();
        }
    }
}

fn emit(line: Line<'_>, each: &mut impl FnMut(Line<'_>)) {
    match line {
        Line::Whole(bytes) => {
            let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            if !bytes.iter().all(u8::is_ascii_whitespace) {
                each(Line::Whole(bytes));
            }
        }
        too_long @ Line::TooLong { .. } => each(too_long),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(lines: &mut Lines, data: &[u8]) -> Vec<(Vec<u8>, Option<u64>)> {
        let mut seen = Vec::new();
        lines.feed(data, |line| match line {
            Line::Whole(bytes) => seen.push((bytes.to_vec(), None)),
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
    fn an_overlong_line_is_reported_once_and_the_next_is_whole() {
        let mut lines = Lines::new(8, 3);
        assert_eq!(collect(&mut lines, b"0123"), []);
        assert_eq!(collect(&mut lines, b"45678"), []);
        assert_eq!(collect(&mut lines, b"9\nok\n"), [(b"012".to_vec(), Some(10)), (b"ok".to_vec(), None)]);
        assert_eq!(collect(&mut lines, b"123456789\n"), [(b"123".to_vec(), Some(9))]);
        assert_eq!(collect(&mut lines, b"12345678\n"), [(b"12345678".to_vec(), None)]);
    }
}
