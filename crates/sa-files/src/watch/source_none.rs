//! A system whose notices nobody reads yet: a watch is refused.

use rustix::io::Errno;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;

/// Stands for one observed directory.
pub(super) type Id = i32;

/// A notice of the system.
#[derive(Debug)]
#[allow(dead_code)]
pub(super) enum Notice {
    Entry {
        id: Id,
        name: OsString,
        what: What,
        directory: bool,
    },
    /// The directory itself is gone or was moved.
    Gone {
        id: Id,
    },
    Lost,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)]
pub(super) enum What {
    Appeared,
    Changed,
    Disappeared,
}

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
