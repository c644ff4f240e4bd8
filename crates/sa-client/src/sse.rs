//! `text/event-stream` as an incremental parser: bytes in at any cut, events out. Knows nothing of HTTP.

use memchr::memchr2;
use std::time::Duration;
use thiserror::Error;

/// One event of a stream, as the sender wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Name; `message` when the stream gave none.
    pub event: String,
    /// The id in force when it was sent: its own, or the last one before it.
    pub id: Option<String>,
    /// The `data` lines, joined by line feeds.
    pub data: String,
}

/// The stream holds more bytes without an end of event than the reader is willing to keep.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("an event of the stream is larger than {limit} bytes")]
pub struct EventTooLarge {
    /// The most that one event may hold.
    pub limit: usize,
}

/// Turns the bytes of an event stream into events.
///
/// Feed it with [`push`](Self::push), take events with [`next_event`](Self::next_event) until there is none.
#[derive(Debug)]
pub struct SseParser {
    limit: usize,
    lines: Lines,
    block: Block,
}

impl SseParser {
    /// A parser at the beginning of a stream, for events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let lines = Lines { at_beginning: true, ..Lines::default() };
        Self { limit, lines, block: Block::default() }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The next event that is complete. A block without data is none: it only sets what it names.
    pub fn next_event(&mut self) -> Result<Option<SseEvent>, EventTooLarge> {
        while let Some(line) = self.lines.next_line() {
            if line.is_empty() {
                if let Some(event) = self.block.end() {
                    return Ok(Some(event));
                }
                continue;
            }
            self.block.field(&String::from_utf8_lossy(line));
            self.check_size(0)?;
        }
        self.check_size(self.lines.unfinished())?;
        Ok(None)
    }

    /// The last id that the stream set: where to continue after a break.
    pub fn last_id(&self) -> Option<&str> {
        self.block.last_id.as_deref()
    }

    /// Returns the time that the stream asks to wait before connecting again.
    pub fn retry(&self) -> Option<Duration> {
        self.block.retry
    }

    fn check_size(&self, unfinished: usize) -> Result<(), EventTooLarge> {
        if self.block.len() + unfinished > self.limit {
            return Err(EventTooLarge { limit: self.limit });
        }
        Ok(())
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes cut into lines; a line ends with LF, CR or both.
#[derive(Debug, Default)]
struct Lines {
    buffer: Vec<u8>,
    /// The beginning of the bytes that belong to no line yet.
    start: usize,
    /// Up to here no line end was found.
    searched: usize,
    /// The previous line ended with CR, so that a LF right after it belongs to that line end.
    after_cr: bool,
    at_beginning: bool,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    fn unfinished(&self) -> usize {
        self.buffer.len() - self.start
    }

    fn next_line(&mut self) -> Option<&[u8]> {
        if self.at_beginning && !self.skip_byte_order_mark() {
            return None;
        }
        if self.after_cr {
            if *self.buffer.get(self.start)? == b'\n' {
                self.start += 1;
            }
            self.after_cr = false;
        }
        let from = self.searched.max(self.start);
        let Some(found) = memchr2(b'\n', b'\r', self.buffer.get(from..)?) else {
            self.searched = self.buffer.len();
            return None;
        };
        let (start, end) = (self.start, from + found);
        self.after_cr = self.buffer.get(end) == Some(&b'\r');
        self.start = end + 1;
        self.buffer.get(start..end)
    }

    /// Returns whether enough bytes are there to know if the stream begins with a mark.
    fn skip_byte_order_mark(&mut self) -> bool {
        if self.buffer.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&self.buffer) {
            return false;
        }
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
        }
        self.at_beginning = false;
        true
    }
}

/// The fields seen since the last empty line, and the two that outlive it.
#[derive(Debug, Default)]
struct Block {
    event: String,
    data: String,
    has_data: bool,
    /// Value of the `id` fields so far; counts from the end of its block on, so that a block that was cut off is
    /// sent again after a break.
    id: Option<String>,
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl Block {
    fn len(&self) -> usize {
        self.event.len() + self.data.len()
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            // A NUL could not travel back in a header, so the format says to ignore such an id.
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().map(Duration::from_millis).ok().or(self.retry);
            }
            // A comment has an empty name; other names are for later versions of the format.
            _ => {}
        }
    }

    fn end(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        self.last_id.clone_from(&self.id);
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let event = if event.is_empty() { "message".to_owned() } else { event };
        Some(SseEvent { event, id: self.last_id.clone(), data })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LIMIT: usize = 1 << 20;

    fn parse_in_pieces(stream: &[u8], piece: usize) -> (Vec<SseEvent>, SseParser) {
        let mut parser = SseParser::new(LIMIT);
        let mut events = Vec::new();
        for bytes in stream.chunks(piece) {
            parser.push(bytes);
            while let Some(event) = parser.next_event().unwrap() {
                events.push(event);
            }
        }
        (events, parser)
    }

    fn event(event: &str, id: Option<&str>, data: &str) -> SseEvent {
        SseEvent { event: event.to_owned(), id: id.map(str::to_owned), data: data.to_owned() }
    }

    /// Every cut of the stream must give the same events.
    #[track_caller]
    fn check(stream: &[u8], expected: &[SseEvent]) -> SseParser {
        for piece in 1..stream.len() {
            assert_eq!(parse_in_pieces(stream, piece).0, expected, "in pieces of {piece}");
        }
        let (events, parser) = parse_in_pieces(stream, stream.len());
        assert_eq!(events, expected);
        parser
    }

    #[test]
    fn names_ids_and_several_data_lines() {
        let stream = b"event: message\nid: 7\ndata: {\"a\":1}\n\ndata:one\ndata: two\ndata\ndata:  x\n\n";
        check(
            stream,
            &[event("message", Some("7"), "{\"a\":1}"), event("message", Some("7"), "one\ntwo\n\n x")],
        );
    }

    #[test]
    fn all_three_line_ends_also_mixed() {
        let stream = b"data: a\r\n\r\ndata: b\r\rdata: c\n\ndata: d\r\n\ndata: e\n\r\n";
        let expected = ["a", "b", "c", "d", "e"].map(|data| event("message", None, data));
        check(stream, &expected);
    }

    #[test]
    fn characters_may_be_cut_anywhere_and_wrong_bytes_are_replaced() {
        check("data: grüße 🦀\n\n".as_bytes(), &[event("message", None, "grüße 🦀")]);
        check(b"data: a\xffb\n\n", &[event("message", None, "a\u{fffd}b")]);
    }

    #[test]
    fn comments_and_unknown_fields_are_no_events() {
        check(b": heartbeat\n\n:\n\nfoo: bar\n\nevent: gap\n\n", &[]);
    }

    #[test]
    fn an_id_alone_moves_the_cursor() {
        let parser = check(b"id: 41\n\nid: 42\n: note\n\n", &[]);
        assert_eq!(parser.last_id(), Some("42"));
    }

    #[test]
    fn the_id_of_a_block_that_is_cut_off_does_not_count() {
        let parser = check(b"id: 41\ndata: x\n\nid: 42\ndata: y\n", &[event("message", Some("41"), "x")]);
        assert_eq!(parser.last_id(), Some("41"));
    }

    #[test]
    fn an_id_with_a_nul_is_ignored_and_an_empty_one_counts() {
        let parser = check(b"id: 4\n\nid: 5\x006\n\n", &[]);
        assert_eq!(parser.last_id(), Some("4"));
        let parser = check(b"id: 4\n\nid\ndata: x\n\n", &[event("message", Some(""), "x")]);
        assert_eq!(parser.last_id(), Some(""));
    }

    #[test]
    fn retry_takes_digits_only() {
        let parser = check(b"retry: 1500\n\nretry: soon\nretry: -1\nretry:\n\n", &[]);
        assert_eq!(parser.retry(), Some(Duration::from_millis(1500)));
    }

    #[test]
    fn a_byte_order_mark_is_skipped_only_at_the_beginning() {
        check(b"\xef\xbb\xbfdata: a\n\n", &[event("message", None, "a")]);
        check(b"data: b\n\n\xef\xbb\xbfdata: c\n\n", &[event("message", None, "b")]);
    }

    #[test]
    fn what_the_end_of_the_stream_cuts_off_is_no_event() {
        check(b"data: whole\n\ndata: half", &[event("message", None, "whole")]);
        check(b"data: whole\n\ndata: half\n", &[event("message", None, "whole")]);
    }

    #[test]
    fn an_event_larger_than_the_limit_is_an_error_and_not_memory() {
        let mut parser = SseParser::new(10);
        parser.push(b"data: 0123456789");
        assert_eq!(parser.next_event(), Err(EventTooLarge { limit: 10 }));
        let mut parser = SseParser::new(10);
        parser.push(b"data: 012345\n");
        assert_eq!(parser.next_event(), Ok(None));
        parser.push(b"data: 67890\n");
        assert_eq!(parser.next_event(), Err(EventTooLarge { limit: 10 }));
    }
}
