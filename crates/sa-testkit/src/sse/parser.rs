//! The event-stream format, byte by byte as the HTML standard has it.

use anyhow::{Context, Result};
use memchr::memchr2;
use std::collections::VecDeque;
use std::time::Duration;

/// One event as it was sent. The standard's "last event id" outlives its event; here `id` is only what this
/// event itself carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `message` when the stream named none.
    pub event: String,
    pub id: Option<String>,
    /// The lines of data, joined by newlines.
    pub data: String,
}

impl Event {
    pub fn json(&self) -> Result<serde_json::Value> {
        serde_json::from_str(&self.data).with_context(|| format!("not JSON: {}", self.data))
    }

    /// Returns the id as a number.
    pub fn sequence(&self) -> Result<u64> {
        let id = self.id.as_deref().context("an event without id")?;
        id.parse().with_context(|| format!("the id {id} is no number"))
    }
}

/// Bytes in, events out. The stream must be UTF-8: a wrong byte is an error, not a replacement character.
#[derive(Debug, Default)]
pub struct SseParser {
    buffer: Vec<u8>,
    /// The start of the first line that was not handled.
    start: usize,
    /// Up to here no end of line was found.
    scanned: usize,
    /// The byte before `start` was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    bom_checked: bool,
    fields: Fields,
    ready: VecDeque<Event>,
    comments: usize,
    retry: Option<Duration>,
}

#[derive(Debug, Default)]
struct Fields {
    event: String,
    id: Option<String>,
    data: String,
}

impl SseParser {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    pub fn next_event(&mut self) -> Result<Option<Event>> {
        while self.ready.is_empty() && self.take_line()? {}
        Ok(self.ready.pop_front())
    }

    /// Handles all whole lines; the events wait for `next_event`.
    pub fn digest(&mut self) -> Result<()> {
        while self.take_line()? {}
        Ok(())
    }

    /// Returns the number of comments so far.
    pub fn comments(&self) -> usize {
        self.comments
    }

    /// Returns the last `retry`.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Handles one line, if a whole one is there.
    fn take_line(&mut self) -> Result<bool> {
        if !self.skip_prefix() {
            return Ok(false);
        }
        let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(found) = memchr2(b'\n', b'\r', unseen) else {
            self.compact();
            return Ok(false);
        };
        let end = self.scanned + found;
        self.after_return = self.buffer.get(end) == Some(&b'\r');
        let line = std::str::from_utf8(self.buffer.get(self.start..end).unwrap_or_default())
            .context("the stream is not UTF-8")?;
        match line.split_once(':') {
            _ if line.is_empty() => self.ready.extend(self.fields.take()),
            Some(("", _)) => self.comments += 1,
            Some(("retry", time)) => {
                self.retry = time.trim_start().parse().ok().map(Duration::from_millis).or(self.retry);
            }
            Some((name, value)) => self.fields.set(name, value.strip_prefix(' ').unwrap_or(value)),
            None => self.fields.set(line, ""),
        }
        self.start = end + 1;
        self.scanned = self.start;
        Ok(true)
    }

    /// Skips a byte order mark and the second half of a CRLF; false when more bytes are needed to decide.
    fn skip_prefix(&mut self) -> bool {
        const BOM: &[u8] = b"\xEF\xBB\xBF";
        if !self.bom_checked {
            if self.buffer.len() < BOM.len() && BOM.starts_with(&self.buffer) {
                return false;
            }
            self.bom_checked = true;
            if self.buffer.starts_with(BOM) {
                self.start = BOM.len();
                self.scanned = self.start;
            }
        }
        if self.after_return && self.start < self.buffer.len() {
            self.after_return = false;
            if self.buffer.get(self.start) == Some(&b'\n') {
                self.start += 1;
                self.scanned = self.start;
            }
        }
        true
    }

    /// Forgets the lines that were handled. Only called when no whole line is left, so each byte moves rarely.
    fn compact(&mut self) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.scanned = self.buffer.len();
    }
}

impl Fields {
    fn set(&mut self, name: &str, value: &str) {
        match name {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            _ => {}
        }
    }

    /// Returns the event that a blank line ends; without data there is none.
    fn take(&mut self) -> Option<Event> {
        let Self { event, id, mut data } = std::mem::take(self);
        data.pop()?;
        let event = if event.is_empty() { "message".to_owned() } else { event };
        Some(Event { event, id, data })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn event(event: &str, id: Option<&str>, data: &str) -> Event {
        Event { event: event.to_owned(), id: id.map(str::to_owned), data: data.to_owned() }
    }

    /// Parses the stream cut into pieces of each size: the cuts must not matter.
    fn check(stream: &[u8], events: &[Event]) {
        for size in 1..=stream.len() {
            let mut parser = SseParser::default();
            let mut got = Vec::new();
            for piece in stream.chunks(size) {
                parser.push(piece);
                while let Some(event) = parser.next_event().unwrap() {
                    got.push(event);
                }
            }
            assert_eq!(got, events, "in pieces of {size}");
        }
    }

    #[test]
    fn fields_make_an_event() {
        check(b"event: gap\nid: 7\ndata: {\"a\":1}\n\n", &[event("gap", Some("7"), "{\"a\":1}")]);
        for (field, data) in [("data:x", "x"), ("data:  x", " x"), ("data: a:b: c", "a:b: c"), ("data", "")] {
            check(format!("{field}\n\n").as_bytes(), &[event("message", None, data)]);
        }
    }

    #[test]
    fn lines_of_data_are_joined() {
        check(b"data: one\ndata: two\ndata\n\n", &[event("message", None, "one\ntwo\n")]);
    }

    #[test]
    fn every_end_of_line_counts() {
        let two = [event("message", None, "a"), event("message", None, "b")];
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &two);
        check(b"data: a\r\rdata: b\r\r", &two);
        check(b"data: a\r\n\ndata: b\n\r\n", &two);
        check(b"event: x\r\ndata: a\r\ndata: b\r\n\r\n", &[event("x", None, "a\nb")]);
    }

    #[test]
    fn what_carries_no_data_is_no_event() {
        check(b"event: x\nid: 1\n\ndata: a\n\n", &[event("message", None, "a")]);
        check(b"data: never ended\n", &[]);
        check(b"\n\n\n: comment\n\n", &[]);
    }

    #[test]
    fn a_byte_order_mark_is_only_skipped_at_the_start() {
        for stream in [&b"\xEF\xBB\xBFdata: a\n\n"[..], b"data: a\n\n\xEF\xBB\xBFdata: b\n\n"] {
            check(stream, &[event("message", None, "a")]);
        }
    }

    #[test]
    fn an_id_with_nul_is_ignored() {
        check(b"id: 1\0\ndata: a\n\n", &[event("message", None, "a")]);
    }

    #[test]
    fn comments_and_retry_are_kept_apart() {
        let mut parser = SseParser::default();
        parser.push(b":\n: beat\nretry: 2500\nretry: soon\ndata: x\n\n");
        assert_eq!(parser.next_event().unwrap(), Some(event("message", None, "x")));
        assert_eq!((parser.comments(), parser.retry()), (2, Some(Duration::from_millis(2500))));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_an_error() {
        let mut parser = SseParser::default();
        parser.push(b"data: \xFF\n\n");
        assert!(parser.next_event().is_err());
    }
}
