//! Memory for logs: chunks of eight megabytes on huge pages, cut into buffers and used again.
//!
//! The kernel clears new memory page by page, at the first write to each. For pages of 4 KiB that costs more than writing a
//! log. A chunk consists of whole huge pages, so that 2 MiB cost one page fault. A buffer is cut from the front of a
//! chunk. Once nobody holds any of its buffers, the chunk is filled again without a fault.
//!
//! ```text
//!   take ──► filled by its owner ──► cut off: a buffer that readers share
//!               ▲                          │
//!               └──── put_back: the rest ◄─┘        full ──► retired ── all buffers dropped ──► take
//! ```

#[cfg(target_os = "linux")]
mod huge_pages;

use bytes::BytesMut;

/// Bytes in a chunk: four huge pages, and room for the frames of messages whose sizes are powers of two. The end that the next
/// message does not fit into is wasted. A log keeps up to one chunk more than its limit.
pub const CHUNK_BYTES: usize = 4 * HUGE_PAGE + FRAMES;
const FRAMES: usize = 64 << 10;
/// Size and alignment of a huge page on x86-64 and on ARM with pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;
/// Bytes allocated for a chunk: the allocator does not align to huge pages.
const ALLOCATED: usize = CHUNK_BYTES + HUGE_PAGE;

/// The chunks of one log.
#[derive(Debug, Default)]
pub struct Chunks {
    /// The unused end of the chunk that is being filled.
    current: BytesMut,
    /// Handles to chunks that are full. They keep the memory of a chunk that nobody reads any more.
    retired: Vec<BytesMut>,
}

impl Chunks {
    /// Returns an empty buffer with room for at least `bytes`: all that is left of a chunk. More than a chunk is allocated
    /// separately.
    ///
    /// Cut off the filled part with [`BytesMut::split`], and return the rest with [`Self::put_back`].
    pub fn take(&mut self, bytes: usize) -> BytesMut {
        if self.current.capacity() >= bytes {
            return std::mem::take(&mut self.current);
        }
        if bytes > CHUNK_BYTES {
            return BytesMut::with_capacity(bytes);
        }
        let full = std::mem::take(&mut self.current);
        let reclaimed = self.reclaim();
        if full.capacity() > 0 {
            self.retired.push(full);
        }
        reclaimed.unwrap_or_else(allocate)
    }

    /// Takes back the unused rest of a buffer.
    pub fn put_back(&mut self, rest: BytesMut) {
        if rest.capacity() > self.current.capacity() {
            self.current = rest;
        }
    }

    /// Returns a chunk that nobody uses, and frees all others like it: they are left from a reader that was far behind.
    fn reclaim(&mut self) -> Option<BytesMut> {
        let mut free = self.retired.extract_if(.., |chunk| chunk.try_reclaim(ALLOCATED));
        let chunk = free.next()?;
        free.for_each(drop);
        Some(align(chunk))
    }
}

fn allocate() -> BytesMut {
    let chunk = align(BytesMut::with_capacity(ALLOCATED));
    #[cfg(target_os = "linux")]
    let chunk = huge_pages::request(chunk);
    chunk
}

/// Cuts the whole huge pages out of a new allocation.
fn align(mut memory: BytesMut) -> BytesMut {
    let skipped = memory.as_ptr().align_offset(HUGE_PAGE);
    if memory.capacity() < skipped.saturating_add(CHUNK_BYTES) {
        return memory;
    }
    let mut chunk = memory.split_off(skipped);
    drop(chunk.split_off(CHUNK_BYTES));
    chunk
}

#[cfg(test)]
mod tests;
