//! The request for huge pages.

use bytes::BytesMut;
use rustix::mm::{Advice, madvise};

/// Asks the kernel to back the unused capacity of a chunk with huge pages. Without them, or if the system forbids them, it
/// is memory like any other.
pub(crate) fn request(mut chunk: BytesMut) -> BytesMut {
    let unused = chunk.spare_capacity_mut();
    // SAFETY: the range is allocated and owned by the chunk, and the advice changes no byte of it.
    #[allow(unsafe_code)]
    let _unavailable = unsafe { madvise(unused.as_mut_ptr().cast(), unused.len(), Advice::LinuxHugepage) };
    chunk
}
