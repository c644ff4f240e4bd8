//! The memory of segments. New memory has to be cleared by the system first, which for a fast agent costs more than
//! anything else, so its output goes to chunks that are used again. Nothing here changes what a segment says.
//!
//! - The buffer of a segment is sized by what framing added to the output before.
//! - A long line that came in several reads is gathered behind room for its frame, and becomes a record where it is.
//! - Everything from [`LONG_BYTES`] on is cut from a chunk. An agent that writes less has exact buffers, and no chunk.

use bytes::{Buf, Bytes, BytesMut};
use sa_chunks::Chunks;

/// Room for everything in front of a record's data, whatever its kind and number.
pub(crate) const FRAME_ROOM: usize = 48;
/// Output of this size is worth a chunk. A gathered line of this size keeps its buffer; a smaller one is cheaper to copy.
pub(crate) const LONG_BYTES: usize = 64 * 1024;

/// The buffers of one relay.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    chunks: Chunks,
    /// The length of an earlier output, and what frames added to it: little to long messages, a fifth to short ones. Agents
    /// continue as they began.
    growth: (usize, usize),
    /// The length of the last long line, behind its room.
    long_line: usize,
}

impl Buffers {
    /// Returns a buffer for the frames of so many bytes of output.
    pub(crate) fn for_output(&mut self, output: usize) -> FrameBuffer {
        let expected = self.framed(output);
        let bytes = if expected < LONG_BYTES { BytesMut::new() } else { self.chunks.take(expected) };
        FrameBuffer { expected, bytes, unused: 0 }
    }

    /// Returns about how long the frames of so many bytes of output are.
    fn framed(&self, output: usize) -> usize {
        /// For the line that a read begins or ends in the middle of.
        const MARGIN: usize = 256;
        let (before, added) = self.growth;
        let growth = output.saturating_mul(added).checked_div(before).unwrap_or(0).min(output);
        output.saturating_add(growth + MARGIN)
    }

    /// Notes how long the frames of so many bytes of output were.
    pub(crate) fn learn(&mut self, output: usize, framed: usize) {
        // A read that ends a line of many reads says nothing about frames.
        if (1..output.saturating_mul(2)).contains(&framed) {
            self.growth = (output, framed.saturating_sub(output));
        }
    }

    /// Moves a gathered line that gets long into a chunk.
    pub(crate) fn make_room(&mut self, line: &mut BytesMut, more: usize) {
        let needed = line.len().max(FRAME_ROOM) + more;
        if needed < LONG_BYTES || line.capacity() >= needed {
            return;
        }
        // A line beyond what a chunk holds grows by doubling.
        let wanted = needed.max(self.long_line).min(needed.max(sa_chunks::CHUNK_BYTES));
        if line.capacity() < LONG_BYTES || wanted <= sa_chunks::CHUNK_BYTES {
            let mut room = self.chunks.take(wanted);
            room.extend_from_slice(line);
            self.put_back(std::mem::replace(line, room));
        }
    }

    /// Cuts the rest of the chunk off a long line that is complete. Frames of `following` bytes of output still fit behind it.
    pub(crate) fn complete(&mut self, line: &mut BytesMut, following: usize) {
        /// The end of the line's own frame.
        const END: usize = 2;
        self.long_line = line.len() + END;
        let slack = if following == 0 { 0 } else { self.framed(following) };
        let filled = self.long_line.saturating_add(slack);
        if filled < line.capacity() {
            let rest = line.split_off(filled);
            self.chunks.put_back(rest);
        }
    }

    /// Takes a buffer that is no longer needed.
    pub(crate) fn put_back(&mut self, mut buffer: BytesMut) {
        if buffer.capacity() >= LONG_BYTES {
            buffer.clear();
            self.chunks.put_back(buffer);
        }
    }
}

/// The frames of a segment that is being built.
#[derive(Debug, Default)]
pub(crate) struct FrameBuffer {
    /// The length of all frames, about.
    pub(crate) expected: usize,
    /// To append to, and to change from the end.
    pub(crate) bytes: BytesMut,
    /// The number of first bytes that are no frame: the unused room in an adopted buffer.
    unused: usize,
}

impl FrameBuffer {
    /// Takes over the buffer of a gathered line, and puts `head` in front of the line. Returns its length.
    pub(crate) fn adopt(&mut self, head: &[u8], line: BytesMut) -> usize {
        let length = line.len() - FRAME_ROOM;
        (self.bytes, self.unused) = (line, FRAME_ROOM - head.len());
        if let Some(room) = self.bytes.get_mut(self.unused..FRAME_ROOM) {
            room.copy_from_slice(head);
        }
        length
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.unused
    }

    /// Returns the finished frames, the memory that they occupy, and the rest of the buffer.
    pub(crate) fn finish(mut self) -> (Bytes, usize, BytesMut) {
        let filled = self.bytes.len();
        let (mut frames, occupied, rest) = if self.bytes.capacity() >= LONG_BYTES {
            let rest = self.bytes.split_off(filled);
            (self.bytes.freeze(), filled, rest)
        } else {
            let mut exact = Vec::from(self.bytes);
            // Giving back a little costs more than keeping it.
            if exact.capacity() - filled > filled / 8 {
                exact.shrink_to_fit();
            }
            let occupied = exact.capacity();
            (Bytes::from(exact), occupied, BytesMut::new())
        };
        frames.advance(self.unused);
        (frames, occupied, rest)
    }
}
