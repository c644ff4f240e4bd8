//! Notices of the system about observed directories.

use std::ffi::OsString;

/// Stands for one observed directory.
pub(super) type Id = i32;

/// A notice of the system.
#[derive(Debug)]
#[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
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
#[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
pub(super) enum What {
    Appeared,
    Changed,
    Disappeared,
}
