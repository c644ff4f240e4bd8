//! Notices of the kernel about directories: inotify. Directories are given as descriptors, so that no link can put
//! another one in their place.

use super::notice::{Id, Notice, What};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use tokio::net::unix::pipe::Receiver;

/// Holds some hundred events; the longest one must fit.
const BUFFER: usize = 16 * 1024;

/// An inotify descriptor. It is read like a pipe: bytes come, in whole notices.
#[derive(Debug)]
pub(super) struct Source(Receiver);

impl Source {
    pub(super) fn new() -> io::Result<Self> {
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Receiver::from_owned_fd_unchecked(fd).map(Self)
    }

    pub(super) fn add(&self, dir: &OwnedFd) -> Result<Id, Errno> {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK;
        inotify::add_watch(&self.0, format!("/proc/self/fd/{}", dir.as_raw_fd()), flags)
    }

    /// Stops observing a directory.
    pub(super) fn remove(&self, id: Id) {
        // It may be gone already.
        let _ = inotify::remove_watch(&self.0, id);
    }

    /// Waits until there is something to read.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.0.readable().await
    }

    /// Reads what is there until about `most` notices were taken, and says whether that was all.
    pub(super) fn read(&self, most: usize, mut take: impl FnMut(Notice)) -> bool {
        let mut buffer = vec![0; BUFFER];
        let mut taken = 0;
        while taken < most {
            let read = match self.0.try_read(&mut buffer) {
                Ok(0) => return true,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return true,
            };
            let mut rest = buffer.get(..read).unwrap_or_default();
            while let Some((event, after)) = Event::split(rest) {
                rest = after;
                taken += 1;
                if let Some(notice) = notice(&event) {
                    take(notice);
                }
            }
        }
        false
    }
}

/// One event as the kernel writes it: four numbers, then a name that is filled up with NULs.
struct Event<'a> {
    id: Id,
    flags: ReadFlags,
    name: Option<&'a OsStr>,
}

impl<'a> Event<'a> {
    fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (id, rest) = bytes.split_first_chunk::<4>()?;
        let (mask, rest) = rest.split_first_chunk::<4>()?;
        let (_cookie, rest) = rest.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (name, after) = rest.split_at_checked(usize::try_from(u32::from_ne_bytes(*length)).ok()?)?;
        let name = name.split(|byte| *byte == 0).next().filter(|name| !name.is_empty());
        let event = Self {
            id: Id::from_ne_bytes(*id),
            flags: ReadFlags::from_bits_retain(u32::from_ne_bytes(*mask)),
            name: name.map(OsStr::from_bytes),
        };
        Some((event, after))
    }
}

fn notice(event: &Event<'_>) -> Option<Notice> {
    let (id, flags) = (event.id, event.flags);
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(Notice::Lost);
    }
    if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT) {
        return Some(Notice::Gone { id });
    }
    let what = if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
        What::Appeared
    } else if flags.intersects(ReadFlags::DELETE | ReadFlags::MOVED_FROM) {
        What::Disappeared
    } else if flags.intersects(ReadFlags::MODIFY | ReadFlags::ATTRIB) {
        What::Changed
    } else {
        return None;
    };
    let name = event.name?.to_owned();
    Some(Notice::Entry { id, name, what, directory: flags.contains(ReadFlags::ISDIR) })
}
