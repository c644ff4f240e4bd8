//! The memory of segments: how much to allocate, and which buffers to use again. New memory has to be cleared by the
//! system first, which for long messages costs more than anything else. Nothing here changes what a segment says.
//!
//! - The buffer of a segment is sized by what framing added to the output before.
//! - A long line that came in several reads is gathered behind room for its frame, and becomes a record where it is.
//! - A buffer that left the journal while nobody read it serves the next long line or the next segment.

use bytes::{Buf, Bytes};

/// Room for everything in front of a record's data, whatever its kind and number.
pub(crate) const FRAME_ROOM: usize = 48;
/// A gathered line of this size is worth its own buffer; a smaller one is cheaper to copy.
pub(crate) const LONG_BYTES: usize = 64 * 1024;
/// The largest buffer that is kept for later.
const MAX_SPARE_BYTES: usize = 4 * 1024 * 1024;

/// The buffers of one relay.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// A buffer that nobody uses.
    spare: Option<Vec<u8>>,
    /// The length of an earlier output, and what frames added to it: little to long messages, a fifth to short ones. Agents
    /// continue as they began.
    growth: (usize, usize),
}

impl Buffers {
    /// Returns a buffer for the frames of so many bytes of output.
    pub(crate) fn for_output(&mut self, output: usize) -> FrameBuffer {
        /// For the line that a read begins or ends in the middle of.
        const MARGIN: usize = 256;
        let (before, added) = self.growth;
        let growth = output.saturating_mul(added).checked_div(before).unwrap_or(0).min(output);
        let expected = output.saturating_add(growth + MARGIN);
        let fits = |spare: &mut Vec<u8>| (expected..=expected.saturating_mul(2)).contains(&spare.capacity());
        FrameBuffer { expected, bytes: self.spare.take_if(fits).unwrap_or_default(), unused: 0 }
    }

    /// Notes how long the frames of so many bytes of output were.
    pub(crate) fn learn(&mut self, output: usize, framed: usize) {
        // A read that ends a line of many reads says nothing about frames.
        if (1..output.saturating_mul(2)).contains(&framed) {
            self.growth = (output, framed.saturating_sub(output));
        }
    }

    /// Takes a buffer that is no longer needed.
    pub(crate) fn reuse(&mut self, mut buffer: Vec<u8>) {
        let is_larger = buffer.capacity() > self.spare.as_ref().map_or(0, Vec::capacity);
        if is_larger && (LONG_BYTES..=MAX_SPARE_BYTES).contains(&buffer.capacity()) {
            buffer.clear();
            self.spare = Some(buffer);
        }
    }

    /// Moves a gathered line that gets long into the spare buffer, if it fits.
    pub(crate) fn make_room(&mut self, line: &mut Vec<u8>, more: usize) {
        let needed = line.len().max(FRAME_ROOM) + more;
        if needed > LONG_BYTES
            && line.capacity() < needed
            && let Some(mut spare) = self.spare.take_if(|spare| spare.capacity() >= needed)
        {
            spare.extend_from_slice(line);
            *line = spare;
        }
    }
}

/// The frames of a segment that is being built.
#[derive(Debug, Default)]
pub(crate) struct FrameBuffer {
    /// The length of all frames, about.
    pub(crate) expected: usize,
    /// To append to, and to change from the end.
    pub(crate) bytes: Vec<u8>,
    /// The number of first bytes that are no frame: the unused room in an adopted buffer.
    unused: usize,
}

impl FrameBuffer {
    /// Takes over the buffer of a gathered line, and puts `head` in front of the line. Returns its length.
    pub(crate) fn adopt(&mut self, head: &[u8], line: Vec<u8>) -> usize {
        let length = line.len() - FRAME_ROOM;
        (self.bytes, self.unused) = (line, FRAME_ROOM - head.len());
        if let Some(room) = self.bytes.get_mut(self.unused..FRAME_ROOM) {
            room.copy_from_slice(head);
        }
        length
    }

    /// Returns the length of all frames.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.unused
    }

    /// Returns the finished frames and the memory that they occupy.
    pub(crate) fn finish(mut self) -> (Bytes, usize) {
        // Giving back a little costs more than keeping it.
        if self.bytes.capacity() - self.bytes.len() > self.bytes.len() / 8 {
            self.bytes.shrink_to_fit();
        }
        let capacity = self.bytes.capacity();
        let mut bytes = Bytes::from(self.bytes);
        bytes.advance(self.unused);
        (bytes, capacity)
    }
}

/// Returns the buffer of finished frames. It is empty and without memory if somebody still reads them.
pub(crate) fn recover(mut frames: Bytes) -> Vec<u8> {
    // One byte is kept: without any, `Bytes` frees its memory.
    frames.truncate(1);
    frames.into()
}
