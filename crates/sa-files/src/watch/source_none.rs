//! A system whose notices nobody reads yet: a watch is refused.

use super::notice::{Id, Notice};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;

/// A source for systems without notices.
#[derive(Debug)]
pub(super) struct Source;

impl Source {
    pub(super) fn new() -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "files can be watched on Linux only"))
    }

    pub(super) fn add(&self, _: &OwnedFd) -> Result<Id, Errno> {
        Err(Errno::NOSYS)
    }

    pub(super) fn remove(&self, _: Id) {}

    pub(super) async fn readable(&self) -> io::Result<()> {
        std::future::pending().await
    }

    pub(super) fn read(&self, _: usize, _: impl FnMut(Notice)) -> bool {
        true
    }
}
