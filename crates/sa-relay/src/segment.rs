//! A run of consecutive records, framed once for every reader.
//!
//! The bytes of a segment are server-sent events, ready to be written; a reader that wants the bare messages takes
//! the data part of each frame. Nothing is framed, copied or counted per reader.

use bytes::{Buf, Bytes, BytesMut};
use std::ops::Range;

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// A JSON-RPC message of the agent.
    Message,
    /// A response of the agent that a client which matches responses by id alone could take for its own.
    Response,
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
            Self::Response => "response",
            Self::Unparsed => "unparsed",
            Self::Exit => "exit",
        }
    }
}

/// Who a record is for. Event streams of a server show every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every reader.
    Everyone,
    /// The answer to a POST that was there to take it, or to a request that was answered with an error before.
    Post,
    /// The answer to a request that came over this open socket.
    Socket {
        /// The socket's number.
        socket: u32,
        /// A request over another socket had the same id meanwhile.
        contested: bool,
    },
    /// The answer to a request that asked for it on a stream; `scope` is the caller's name for which.
    Stream {
        /// 0 where the caller named none.
        scope: u32,
    },
    /// The answer to a request whose POST is gone.
    Gone,
    /// The answer to a request that came over a socket which is gone.
    GoneSocket {
        /// A request over another socket had the same id meanwhile.
        contested: bool,
    },
}

/// A socket as a reader of records.
#[derive(Debug, Clone, Copy)]
pub struct SocketView {
    /// The socket's number.
    pub socket: u32,
    /// The newest record when it came, for a socket that resumes after a record which an earlier one saw. It may wait
    /// for answers to the earlier one's requests.
    pub resumed_at: Option<u64>,
}

/// The meaning of a record to a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// For this socket.
    Own,
    /// The answer to another client's request.
    Foreign,
    /// The answer to a request of a socket that is gone: this client's earlier one, or another's with an equal id.
    Ambiguous,
    /// Nothing that sockets show.
    Hidden,
}

impl SocketView {
    /// Returns the meaning of the record of this number to the socket.
    pub fn sees(self, sequence: u64, record: &Record, is_open: impl Fn(u32) -> bool) -> Sight {
        let late = |contested| if contested { Sight::Ambiguous } else { Sight::Own };
        match record.audience {
            Audience::Everyone if record.kind == RecordKind::Response => Sight::Foreign,
            Audience::Everyone => Sight::Own,
            Audience::Socket { socket, .. } if socket == self.socket => Sight::Own,
            Audience::Socket { socket, contested } => match self.resumed_at {
                // The earlier socket may have been cut without a sign, so that it still counts as open.
                Some(newest) if sequence <= newest || !is_open(socket) => late(contested),
                _ => Sight::Foreign,
            },
            Audience::GoneSocket { contested } if self.resumed_at.is_some() => late(contested),
            Audience::Gone | Audience::GoneSocket { .. } => Sight::Foreign,
            Audience::Post | Audience::Stream { .. } => Sight::Hidden,
        }
    }
}

/// Where one record lies in its segment, and who may see it.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// What it says.
    pub kind: RecordKind,
    /// Who it is for.
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
    /// How many bytes of frames came before this segment, over the whole life of the log.
    pub start: u64,
    bytes: Bytes,
    records: Box<[Record]>,
    cost: usize,
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

    /// What it costs to keep, in bytes of memory.
    pub fn cost(&self) -> usize {
        self.cost
    }

    /// The records from `index` on.
    pub fn records(&self, index: usize) -> &[Record] {
        self.records.get(index..).unwrap_or_default()
    }

    /// The frames of these records, as one piece.
    pub fn frames(&self, records: Range<usize>) -> Bytes {
        let (start, end) = (self.offset(records.start), self.offset(records.end));
        self.bytes.slice(start.min(end)..end)
    }

    /// Returns the frame of one record for a reader that knows no other event than `message`.
    pub fn message_frame(&self, index: usize) -> Bytes {
        match self.records.get(index) {
            Some(record) if record.kind == RecordKind::Response => {
                let mut frame = Vec::with_capacity(FRAME_ROOM + record.data + FRAME_END.len());
                push_head(&mut frame, RecordKind::Message, self.first + index as u64);
                frame.extend_from_slice(&self.data(index));
                frame.extend_from_slice(FRAME_END);
                frame.into()
            }
            _ => self.frames(index..index + 1),
        }
    }

    /// Where the frame of this record begins in the segment; for an index beyond the last, where the last ends.
    pub(crate) fn offset(&self, index: usize) -> usize {
        match index.min(self.records.len()).checked_sub(1) {
            Some(before) => self.records.get(before).map_or(0, |record| record.end),
            None => 0,
        }
    }

    /// Its buffer, if nobody reads it any more; empty otherwise.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        // One byte is kept: without any, `Bytes` lets go of its memory.
        bytes.truncate(1);
        let mut buffer: Vec<u8> = bytes.into();
        buffer.clear();
        buffer
    }

    /// The data of one record: a message as the agent wrote it.
    pub fn data(&self, index: usize) -> Bytes {
        let Some(record) = self.records.get(index) else { return Bytes::new() };
        let end = record.end - FRAME_END.len();
        self.bytes.slice(end - record.data..end)
    }
}

/// What every frame ends with, after its data.
pub(crate) const FRAME_END: &[u8] = b"\n\n";

/// Room for everything in front of a record's data, whatever its kind and number.
pub(crate) const FRAME_ROOM: usize = 48;

/// Frames records one after the other.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    /// How many bytes the frames are expected to take.
    expected: usize,
    bytes: Vec<u8>,
    /// How many of the first bytes are no part of the segment.
    unused: usize,
    records: Vec<Record>,
}

impl SegmentBuilder {
    /// A builder that expects its frames to take about so many bytes.
    pub(crate) fn expecting(expected: usize) -> Self {
        Self { expected, ..Self::default() }
    }

    /// Frames into this buffer, which was used before.
    pub(crate) fn into_spare(mut self, buffer: Option<Vec<u8>>) -> Self {
        if let Some(mut buffer) = buffer {
            buffer.clear();
            self.bytes = buffer;
        }
        self
    }

    /// How many records it holds.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Its buffer, while it holds no record.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Adds a record with the given sequence number.
    pub(crate) fn push(&mut self, sequence: u64, kind: RecordKind, audience: Audience, data: &[u8]) {
        if self.records.is_empty() {
            self.bytes.reserve_exact(self.expected.max(FRAME_ROOM + data.len() + FRAME_END.len()));
        }
        push_head(&mut self.bytes, kind, sequence);
        self.bytes.extend_from_slice(data);
        self.end_frame(kind, audience, data.len());
    }

    /// The same for data that lies in `buffer` behind [`FRAME_ROOM`] bytes; the first record keeps that buffer.
    pub(crate) fn adopt(&mut self, sequence: u64, kind: RecordKind, audience: Audience, mut buffer: Vec<u8>) {
        let mut head = Vec::with_capacity(FRAME_ROOM);
        push_head(&mut head, kind, sequence);
        let unused = FRAME_ROOM - head.len();
        match buffer.get_mut(unused..FRAME_ROOM) {
            Some(place) if self.records.is_empty() => place.copy_from_slice(&head),
            _ => return self.push(sequence, kind, audience, buffer.get(FRAME_ROOM..).unwrap_or_default()),
        }
        let data = buffer.len() - FRAME_ROOM;
        (self.bytes, self.unused) = (buffer, unused);
        self.end_frame(kind, audience, data);
    }

    /// The finished segment; `None` if nothing was pushed.
    pub(crate) fn finish(mut self, first: u64, start: u64) -> Option<Segment> {
        const SEGMENT_OVERHEAD: usize = 160;
        if self.records.is_empty() {
            return None;
        }
        // Giving back a little costs more than keeping it.
        if self.bytes.capacity() - self.bytes.len() > self.bytes.len() / 8 {
            self.bytes.shrink_to_fit();
        }
        let cost = self.bytes.capacity() + self.records.len() * size_of::<Record>() + SEGMENT_OVERHEAD;
        let mut bytes = Bytes::from(self.bytes);
        bytes.advance(self.unused);
        Some(Segment { first, start, bytes, records: self.records.into(), cost })
    }

    /// Ends the frame whose data are the last bytes.
    fn end_frame(&mut self, kind: RecordKind, audience: Audience, data: usize) {
        let from = self.bytes.len() - data;
        flatten(self.bytes.get_mut(from..).unwrap_or_default());
        self.bytes.extend_from_slice(FRAME_END);
        self.records.push(Record { kind, audience, end: self.bytes.len() - self.unused, data });
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

fn push_head(bytes: &mut Vec<u8>, kind: RecordKind, sequence: u64) {
    let event: &[u8] = match kind {
        RecordKind::Message => b"event: message\nid: ",
        RecordKind::Response => b"event: response\nid: ",
        RecordKind::Unparsed => b"event: unparsed\nid: ",
        RecordKind::Exit => b"event: exit\nid: ",
    };
    bytes.extend_from_slice(event);
    bytes.extend_from_slice(digits_of(sequence, &mut [0; MAX_DIGITS]));
    bytes.extend_from_slice(b"\ndata: ");
}

/// Digits of the largest number.
const MAX_DIGITS: usize = 20;
/// Room for everything around the data of an event without a name.
const EVENT_ROOM: usize = MAX_DIGITS + 16;

fn digits_of(mut number: u64, digits: &mut [u8; MAX_DIGITS]) -> &[u8] {
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        count += 1;
        if number == 0 {
            break;
        }
    }
    digits.get(MAX_DIGITS - count..).unwrap_or_default()
}

/// Appends a server-sent event that has an id and no name.
pub fn push_event(frames: &mut BytesMut, id: u64, data: &[u8]) {
    let mut digits = [0; MAX_DIGITS];
    let id = digits_of(id, &mut digits);
    frames.reserve(EVENT_ROOM + data.len());
    frames.extend_from_slice(b"id: ");
    frames.extend_from_slice(id);
    frames.extend_from_slice(b"\ndata: ");
    frames.extend_from_slice(data);
    frames.extend_from_slice(FRAME_END);
}

/// A server-sent event that is no record of the log and therefore has no id.
pub fn event_frame(event: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {event}\ndata: {data}\n\n"))
}
