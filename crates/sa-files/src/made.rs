//! Directories that an operation makes on the way to something that is to be in them.

use rustix::fs::AtFlags;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// New directories. Dropping this removes those that are empty, the innermost first, unless they are kept: an operation
/// that fails leaves nothing behind.
///
/// Hold the lock on names from making them until they are kept, dropped or hold something. Otherwise another request may
/// rely on a directory that is about to go.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct Made(Vec<(Arc<OwnedFd>, OsString)>);

impl Made {
    /// Adds the directory of that name in `parent`.
    pub(crate) fn add(&mut self, parent: Arc<OwnedFd>, name: OsString) {
        self.0.push((parent, name));
    }

    /// Lets the directories stay.
    pub(crate) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (parent, name) in self.0.drain(..).rev() {
            // One that others use by now is not empty, or is gone.
            let _ = rustix::fs::unlinkat(&*parent, &name, AtFlags::REMOVEDIR);
        }
    }
}
