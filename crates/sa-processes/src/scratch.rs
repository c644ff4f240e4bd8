//! One read buffer for each worker thread, not for each process: idle processes cost nothing.

use crate::limits::READ_BYTES;
use std::cell::RefCell;
use std::io;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// The result of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Something was read and worked on.
    Data,
    /// There is nothing to read now.
    Nothing,
    /// There will be no more output.
    End,
}

/// Reads what is there, once, and hands it to `work`.
pub(crate) fn read(try_read: impl FnOnce(&mut [u8]) -> io::Result<usize>, work: impl FnOnce(&[u8])) -> Look {
    BUFFER.with_borrow_mut(|buffer| match try_read(buffer) {
        Ok(0) => Look::End,
        Ok(length) => {
            work(buffer.get(..length).unwrap_or_default());
            Look::Data
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Look::Nothing,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Look::Nothing,
        Err(error) => {
            tracing::debug!(%error, "reading a process's output failed");
            Look::End
        }
    })
}
