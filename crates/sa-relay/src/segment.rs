//! A run of consecutive records, framed once for every reader.
//!
//! The bytes of a segment are server-sent events, ready to be written; a reader that wants the bare messages takes
//! the data part of each frame. Nothing is framed, copied or counted per reader.

use crate::Audience;
use crate::buffer::{FRAME_ROOM, FrameBuffer};
use crate::event::{EVENT_END, push_event, push_event_head};
use bytes::{Bytes, BytesMut};
use sa_journal::Entry;
use std::ops::Range;
use std::sync::Arc;

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// A JSON-RPC message of the agent.
    Message,
    /// A response of the agent that a client which matches responses by id alone could take for its own.
    Response,
    /// Output that is no JSON-RPC message.
    Unparsed,
    Exit,
}

impl RecordKind {
    /// Returns the name of its server-sent event.
    pub fn event(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Response => "response",
            Self::Unparsed => "unparsed",
            Self::Exit => "exit",
        }
    }
}

/// The position of one record in its segment, and its audience.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    pub kind: RecordKind,
    pub audience: Audience,
    /// End of its frame in the segment.
    end: usize,
    /// Length of its data; the frame ends with the data and two line feeds.
    data: usize,
}

/// Consecutive records with their frames. Never empty, never changed.
#[derive(Debug)]
pub struct Segment {
    /// Sequence number of the first record.
    pub first: u64,
    /// The number of bytes of frames before this segment, over the whole life of the log.
    pub start: u64,
    bytes: Bytes,
    records: Box<[Record]>,
    cost: usize,
}

impl Segment {
    /// Returns the start of the next segment.
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Returns the records from `index` on.
    pub fn records(&self, index: usize) -> &[Record] {
        self.records.get(index..).unwrap_or_default()
    }

    /// Returns the frames of these records, as one piece.
    pub fn frames(&self, records: Range<usize>) -> Bytes {
        let (start, end) = (self.offset(records.start), self.offset(records.end));
        self.bytes.slice(start.min(end)..end)
    }

    /// Returns the frame of one record for a reader that knows no other event than `message`.
    pub fn message_frame(&self, index: usize) -> Bytes {
        match self.records.get(index) {
            Some(record) if record.kind == RecordKind::Response => {
                let mut frame = Vec::with_capacity(FRAME_ROOM + record.data + EVENT_END.len());
                let (name, sequence) = (RecordKind::Message.event(), self.first + index as u64);
                push_event(&mut frame, Some(name), Some(sequence), &self.data(index));
                frame.into()
            }
            _ => self.frames(index..index + 1),
        }
    }

    /// Returns the offset of this record's frame in the segment; for an index beyond the last, the end of the last.
    fn offset(&self, index: usize) -> usize {
        match index.min(self.records.len()).checked_sub(1) {
            Some(before) => self.records.get(before).map_or(0, |record| record.end),
            None => 0,
        }
    }

    /// Returns the data of one record: a message as the agent wrote it.
    pub fn data(&self, index: usize) -> Bytes {
        let Some(record) = self.records.get(index) else { return Bytes::new() };
        let end = record.end - EVENT_END.len();
        self.bytes.slice(end - record.data..end)
    }
}

impl Entry for Segment {
    fn first(&self) -> u64 {
        self.first
    }

    fn last(&self) -> u64 {
        self.first + self.records.len() as u64 - 1
    }

    fn cost(&self) -> usize {
        self.cost
    }

    fn position_before(&self, record: u64) -> u64 {
        self.start + self.offset(record.saturating_sub(self.first) as usize) as u64
    }
}

/// A run of records in one segment.
#[derive(Debug, Clone)]
pub struct Part {
    pub segment: Arc<Segment>,
    /// Index of the first record; the others follow to the end.
    from: usize,
}

impl Part {
    /// Returns the records of a segment after the one numbered `after`.
    pub fn after(segment: Arc<Segment>, after: u64) -> Self {
        Self { from: (after + 1).saturating_sub(segment.first) as usize, segment }
    }

    /// Returns the number of the last record.
    pub fn last(&self) -> u64 {
        self.segment.last()
    }

    /// Returns the frames of all records, as one piece.
    pub fn frames(&self) -> Bytes {
        self.segment.frames(self.from..usize::MAX)
    }

    /// Returns each record with its index in the segment and its sequence number.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = (usize, u64, &Record)> {
        let records = self.segment.records.iter().enumerate().skip(self.from);
        records.map(|(index, record)| (index, self.segment.first + index as u64, record))
    }
}

/// Frames records one after the other.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    frames: FrameBuffer,
    records: Vec<Record>,
}

impl SegmentBuilder {
    pub(crate) fn new(frames: FrameBuffer) -> Self {
        Self { frames, records: Vec::new() }
    }

    /// Returns how many records there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Adds a record with the given sequence number.
    pub(crate) fn push(&mut self, sequence: u64, kind: RecordKind, audience: Audience, data: &[u8]) {
        if self.records.is_empty() {
            let least = FRAME_ROOM + data.len() + EVENT_END.len();
            self.frames.bytes.reserve(self.frames.expected.max(least));
        }
        let bytes = &mut self.frames.bytes;
        push_event_head(bytes, Some(kind.event()), Some(sequence));
        bytes.extend_from_slice(data);
        self.end_frame(kind, audience, data.len());
    }

    /// Adds a record whose data lie in `line` behind [`FRAME_ROOM`] bytes. The first record keeps that buffer.
    pub(crate) fn adopt(&mut self, sequence: u64, kind: RecordKind, audience: Audience, line: BytesMut) {
        if !self.records.is_empty() {
            return self.push(sequence, kind, audience, line.get(FRAME_ROOM..).unwrap_or_default());
        }
        let mut head = Vec::with_capacity(FRAME_ROOM);
        push_event_head(&mut head, Some(kind.event()), Some(sequence));
        let data = self.frames.adopt(&head, line);
        self.end_frame(kind, audience, data);
    }

    /// Returns the finished segment, if there are records, and the rest of the buffer.
    pub(crate) fn finish(self, first: u64, start: u64) -> (Option<Segment>, BytesMut) {
        const SEGMENT_OVERHEAD: usize = 160;
        if self.records.is_empty() {
            return (None, self.frames.bytes);
        }
        let (bytes, occupied, rest) = self.frames.finish();
        let cost = occupied + self.records.len() * size_of::<Record>() + SEGMENT_OVERHEAD;
        (Some(Segment { first, start, bytes, records: self.records.into(), cost }), rest)
    }

    /// Ends the frame whose data are the last bytes.
    fn end_frame(&mut self, kind: RecordKind, audience: Audience, data: usize) {
        let bytes = &mut self.frames.bytes;
        let from = bytes.len() - data;
        flatten(bytes.get_mut(from..).unwrap_or_default());
        bytes.extend_from_slice(EVENT_END);
        self.records.push(Record { kind, audience, end: self.frames.len(), data });
    }
}

/// Makes one line of some data. A line break can only be white space between tokens of JSON, but it would end the
/// event's data.
fn flatten(data: &mut [u8]) {
    if memchr::memchr2(b'\r', b'\n', data).is_some() {
        for byte in data.iter_mut().filter(|byte| matches!(**byte, b'\r' | b'\n')) {
            *byte = b' ';
        }
    }
}
