//! Reading a file from any offset, a piece at a time, whatever its size.

use crate::entry::Entry;
use crate::error::{At, Fault, FilesError, Result, about};
use crate::files::Files;
use bytes::Bytes;
use futures_util::Stream;
use rustix::buffer::spare_capacity;
use rustix::fs::OFlags;
use rustix::io::Errno;
use sa_api::FsEntryType;
use std::ffi::OsStr;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::JoinHandle;

/// A regular file that is open for reading.
#[derive(Debug)]
pub struct OpenFile {
    /// The metadata at the time of opening.
    pub entry: Entry,
    fd: Arc<OwnedFd>,
    chunk: usize,
    /// The system does not know its size, as with files of `/proc`, but it has contents.
    endless: bool,
}

impl Files {
    /// Opens the regular file at a path, through links.
    pub async fn read(&self, path: &OsStr) -> Result<OpenFile> {
        let located = self.locate(path)?;
        let chunk = self.limits().chunk_bytes.max(1);
        self.run(move |shared| {
            // A pipe without a writer must not keep us waiting.
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
            let opened = shared.root.open_at(&located.beneath, flags);
            let fd = opened.map_err(|fault| special(fault, &located.absolute))?;
            let stat = rustix::fs::fstat(&fd).at(&located.absolute)?;
            let entry = Entry::new(located.absolute.clone(), &stat, None);
            if entry.kind != FsEntryType::File {
                let is_dir = entry.kind == FsEntryType::Directory;
                let what = if is_dir { "is a directory" } else { NOT_REGULAR };
                return Err(FilesError::Conflict(about(&located.absolute, what)));
            }
            let endless = entry.size == 0 && !read_at(&fd, 0, 1).at(&located.absolute)?.is_empty();
            Ok(OpenFile { entry, fd: Arc::new(fd), chunk, endless })
        })
        .await
    }
}

const NOT_REGULAR: &str = "is not a regular file";

/// Sockets cannot be opened at all.
fn special(fault: Fault, path: &std::path::Path) -> FilesError {
    match fault {
        Fault::Os(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
            FilesError::Conflict(about(path, NOT_REGULAR))
        }
        fault => fault.at(path),
    }
}

impl OpenFile {
    /// Returns the number of bytes, if that is known before the file is read.
    pub fn size(&self) -> Option<u64> {
        (!self.endless).then_some(self.entry.size)
    }

    pub fn into_stream(self) -> FileStream {
        let end = self.size();
        self.stream(0, end)
    }

    /// Returns a part of it, which must lie within its size.
    pub fn into_range(self, range: Range<u64>) -> FileStream {
        self.stream(range.start, Some(range.end))
    }

    fn stream(self, offset: u64, end: Option<u64>) -> FileStream {
        FileStream { fd: self.fd, chunk: self.chunk, offset, end, reading: None }
    }
}

/// The bytes of a file. One piece is read ahead while the one before is sent.
#[derive(Debug)]
pub struct FileStream {
    fd: Arc<OwnedFd>,
    chunk: usize,
    /// The offset of the next read.
    offset: u64,
    /// The end of the stream; without it, the end of the file.
    end: Option<u64>,
    reading: Option<JoinHandle<io::Result<Bytes>>>,
}

impl FileStream {
    fn start(&mut self) {
        let left = self.end.map_or(u64::MAX, |end| end.saturating_sub(self.offset));
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(self.chunk);
        if length == 0 {
            return;
        }
        let (fd, offset) = (Arc::clone(&self.fd), self.offset);
        self.reading = Some(tokio::task::spawn_blocking(move || read_at(&fd, offset, length)));
    }
}

impl Stream for FileStream {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.reading.is_none() {
            self.start();
        }
        let Some(reading) = &mut self.reading else { return Poll::Ready(None) };
        let read = ready!(Pin::new(reading).poll(context));
        self.reading = None;
        let bytes = read.unwrap_or_else(|_| Err(io::Error::other("the daemon is stopping")))?;
        if bytes.is_empty() {
            let reached = self.offset;
            return match self.end.replace(reached) {
                // The size was announced, so that the rest must not be left out in silence.
                Some(_) => {
                    Poll::Ready(Some(Err(io::Error::other("the file became shorter while it was read"))))
                }
                None => Poll::Ready(None),
            };
        }
        self.offset += bytes.len() as u64;
        self.start();
        Poll::Ready(Some(Ok(bytes)))
    }
}

/// At most `length` bytes from an offset on; none at the end.
fn read_at(fd: &OwnedFd, offset: u64, length: usize) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let offset = offset + bytes.len() as u64;
        match rustix::io::pread(fd, spare_capacity(&mut bytes), offset) {
            Ok(0) => break,
            Ok(_) => {}
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(bytes.into())
}
