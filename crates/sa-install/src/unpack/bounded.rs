//! A reader that gives up after so many bytes: what a small archive can swell to has an end.

use std::io::{self, Read};

/// Reads at most so much.
#[derive(Debug)]
pub(super) struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(inner: R, most: u64) -> Self {
        Self { inner, left: most }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left =
            self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other("it swells too much"))?;
        Ok(read)
    }
}
