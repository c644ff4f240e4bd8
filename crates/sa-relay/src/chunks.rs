//! Memory for the segments of a fast agent.
//!
//! The system clears new memory page by page when it is first written to. For an agent that writes as fast as it can that
//! costs as much as everything else, until buffers come back from the log. So large segments share chunks of 2 MiB, which
//! the system maps as one page where it can.

use bytes::BytesMut;
use std::collections::VecDeque;

/// Bytes of a chunk. With the allocator's own few bytes it is a mapping of exactly 2 MiB, which Linux places so that a
/// single huge page fits.
const CHUNK_BYTES: usize = (2 << 20) - (4 << 10);

/// A smaller segment is from an agent that is not fast. It gets memory of its own, so that one late reader does not keep a
/// whole chunk.
const LARGE_BYTES: usize = 128 << 10;

/// Hands out chunks piece by piece and uses them again when their segments have left the log.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    /// What is left of the newest chunk; none before the first, and while a segment is being written.
    rest: Option<BytesMut>,
    /// The ends of earlier chunks. Holding them keeps the chunks, most of which have segments in the log anyway.
    earlier: VecDeque<BytesMut>,
}

impl Chunks {
    /// Takes the rest of a chunk for a segment of about so many bytes; `None` if the segment should have its own memory.
    /// The part that is not used comes back by [`Chunks::put_back`].
    pub(crate) fn take(&mut self, bytes: usize) -> Option<BytesMut> {
        if !(LARGE_BYTES..=CHUNK_BYTES).contains(&bytes) {
            return None;
        }
        match self.rest.take() {
            Some(rest) if rest.capacity() >= bytes => return Some(rest),
            Some(full) => self.earlier.push_back(full),
            None => {}
        }
        Some(self.unused().unwrap_or_else(chunk))
    }

    /// Takes back what a segment has left of its chunk.
    pub(crate) fn put_back(&mut self, rest: BytesMut) {
        self.rest = Some(rest);
    }

    /// Removes an earlier chunk that no segment uses, whole again. Any of them may be kept by a late reader.
    fn unused(&mut self) -> Option<BytesMut> {
        let index = self.earlier.iter_mut().position(|chunk| chunk.try_reclaim(CHUNK_BYTES))?;
        self.earlier.remove(index)
    }
}

fn chunk() -> BytesMut {
    let mut chunk = BytesMut::with_capacity(CHUNK_BYTES);
    advise(&mut chunk);
    chunk
}

/// Asks for huge pages. A system that has none for it maps small ones as they are used.
#[cfg(target_os = "linux")]
fn advise(chunk: &mut BytesMut) {
    const PAGE: usize = 4 << 10;
    let room = chunk.spare_capacity_mut();
    // The allocator's own bytes lie in front of the chunk, on its first page.
    let offset = room.as_ptr().addr() % PAGE;
    let start = room.as_mut_ptr().wrapping_byte_sub(offset).cast();
    let length = (room.len() + offset).next_multiple_of(PAGE);
    // SAFETY: advice on how to map pages changes no content, of the chunk or of whatever shares its first and last page.
    // Kernels without huge pages refuse, and then nothing is different.
    #[allow(unsafe_code)]
    unsafe {
        libc::madvise(start, length, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_chunk: &mut BytesMut) {}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: usize = 256 << 10;

    /// Takes memory for a segment, fills it and returns it.
    fn segment(chunks: &mut Chunks) -> bytes::Bytes {
        let mut room = chunks.take(SEGMENT).unwrap();
        room.extend_from_slice(&[7; SEGMENT]);
        let segment = room.split().freeze();
        chunks.put_back(room);
        segment
    }

    #[test]
    fn segments_share_chunks_that_are_used_again() {
        let mut chunks = Chunks::default();
        let mut log: VecDeque<bytes::Bytes> = (0..100).map(|_| segment(&mut chunks)).collect();
        let late = log.front().cloned();
        let count = chunks.earlier.len();
        for _ in 0..1000 {
            log.pop_front();
            let new = segment(&mut chunks);
            assert!(
                log.iter()
                    .all(|old| old.as_ptr_range().end <= new.as_ptr()
                        || old.as_ptr() >= new.as_ptr_range().end)
            );
            log.push_back(new);
        }
        // One for the chunk that the late reader keeps, one for that which the log is leaving.
        assert!(chunks.earlier.len() <= count + 2, "{count} chunks, then {}", chunks.earlier.len());
        assert!(late.is_some_and(|late| late.iter().all(|byte| *byte == 7)));
        assert!(log.iter().all(|segment| segment.iter().all(|byte| *byte == 7)));
    }

    #[test]
    fn small_and_huge_segments_have_their_own_memory() {
        let mut chunks = Chunks::default();
        assert!(chunks.take(LARGE_BYTES - 1).is_none());
        assert!(chunks.take(CHUNK_BYTES + 1).is_none());
    }
}
