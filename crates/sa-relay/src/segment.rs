//! A run of consecutive records, framed once for every reader.
//!
//! The bytes of a segment are server-sent events, ready to be written; a reader that wants the bare messages takes
//! the data part of each frame. Nothing is framed, copied or counted per reader.

use bytes::Bytes;
use std::ops::Range;

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// A JSON-RPC message of the agent.
    Message,
    /// Output that is no JSON-RPC message.
    Unparsed,
    /// The agent ended.
    Exit,
}

impl RecordKind {
    /// The name of its server-sent event.
    pub fn event(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Unparsed => "unparsed",
            Self::Exit => "exit",
        }
    }
}

/// Who a record is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every reader.
    Everyone,
    /// The answer to a POST that took it. `open`: event streams carry it as well.
    Post {
        /// Whether event streams show it.
        open: bool,
    },
    /// The answer to a request that came over this socket.
    Socket {
        /// The socket's number.
        socket: u32,
        /// Whether event streams show it.
        open: bool,
    },
    /// The answer to a request that asked for it on a stream; `scope` is the caller's name for which.
    Stream {
        /// 0 where the caller named none.
        scope: u32,
    },
}

/// Where one record lies in its segment, and who may see it.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// What it says.
    pub kind: RecordKind,
    /// Who it is for.
    pub audience: Audience,
    /// End of its frame in the segment.
    end: u32,
    /// Length of its data; the frame ends with the data and two line feeds.
    data: u32,
}

/// Consecutive records with their frames. Never empty, never changed.
#[derive(Debug)]
pub struct Segment {
    /// Sequence number of the first record.
    pub first: u64,
    /// How many bytes of frames came before this segment, over the whole life of the log.
    pub start: u64,
    bytes: Bytes,
    records: Box<[Record]>,
    /// Whether an event stream may take the bytes as they are.
    open: bool,
}

impl Segment {
    /// Sequence number of the last record.
    pub fn last(&self) -> u64 {
        self.first + self.records.len() as u64 - 1
    }

    /// Where the next segment starts.
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// What it costs to keep.
    pub fn cost(&self) -> usize {
        const SEGMENT_OVERHEAD: usize = 160;
        self.bytes.len() + self.records.len() * size_of::<Record>() + SEGMENT_OVERHEAD
    }

    /// The records from `index` on.
    pub fn records(&self, index: usize) -> &[Record] {
        self.records.get(index..).unwrap_or_default()
    }

    /// Whether an event stream may take every record.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The frames of these records, as one piece.
    pub fn frames(&self, records: Range<usize>) -> Bytes {
        let start =
            records.start.checked_sub(1).and_then(|before| self.records.get(before)).map_or(0, |r| r.end);
        let end = records.end.checked_sub(1).and_then(|last| self.records.get(last)).map_or(start, |r| r.end);
        self.bytes.slice(start as usize..end as usize)
    }

    /// The data of one record: a message as the agent wrote it.
    pub fn data(&self, index: usize) -> Bytes {
        let Some(record) = self.records.get(index) else { return Bytes::new() };
        let end = record.end as usize - FRAME_END.len();
        self.bytes.slice(end - record.data as usize..end)
    }
}

/// What every frame ends with, after its data.
pub(crate) const FRAME_END: &[u8] = b"\n\n";

/// Frames records one after the other.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    bytes: Vec<u8>,
    records: Vec<Record>,
    closed: bool,
}

impl SegmentBuilder {
    /// A builder that expects about so many bytes of data.
    pub(crate) fn for_data(length: usize) -> Self {
        Self { bytes: Vec::with_capacity(length + length / 4 + 64), ..Self::default() }
    }

    /// How many records it holds.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Adds a record with the given sequence number.
    pub(crate) fn push(&mut self, sequence: u64, kind: RecordKind, audience: Audience, data: &[u8]) {
        self.bytes.extend_from_slice(b"event: ");
        self.bytes.extend_from_slice(kind.event().as_bytes());
        self.bytes.extend_from_slice(b"\nid: ");
        push_number(&mut self.bytes, sequence);
        self.bytes.extend_from_slice(b"\ndata: ");
        let from = self.bytes.len();
        self.bytes.extend_from_slice(data);
        // A carriage return can only be white space between tokens here, but it would end the event's data line.
        if memchr::memchr(b'\r', data).is_some() {
            for byte in self.bytes.iter_mut().skip(from).filter(|byte| **byte == b'\r') {
                *byte = b' ';
            }
        }
        self.bytes.extend_from_slice(FRAME_END);
        self.closed |=
            matches!(audience, Audience::Post { open: false } | Audience::Socket { open: false, .. });
        let (end, data) = (self.bytes.len() as u32, data.len() as u32);
        self.records.push(Record { kind, audience, end, data });
    }

    /// The finished segment; `None` if nothing was pushed.
    pub(crate) fn finish(mut self, first: u64, start: u64) -> Option<Segment> {
        if self.records.is_empty() {
            return None;
        }
        self.bytes.shrink_to_fit();
        Some(Segment {
            first,
            start,
            bytes: self.bytes.into(),
            records: self.records.into(),
            open: !self.closed,
        })
    }
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    let from = bytes.len();
    loop {
        bytes.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = bytes.get_mut(from..) {
        digits.reverse();
    }
}

/// A server-sent event that is no record of the log and therefore has no id.
pub fn event_frame(event: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {event}\ndata: {data}\n\n"))
}
