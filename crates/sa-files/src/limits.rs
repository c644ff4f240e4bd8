//! Every bound on work with files, in one place. Each field is a key of `[files]` in the configuration file; the
//! defaults here are what the documentation states.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bounds on memory, counts and waits. Byte sizes are in bytes, times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FilesLimits {
    /// Operations that use the disk at once; further ones wait.
    pub operations: usize,
    /// Bytes of one read or write. A transfer holds two or three of them.
    pub chunk_bytes: usize,
    /// Largest file that may be written (0: as large as the disk allows).
    pub file_bytes: u64,
    /// A request whose body brings no byte for this long is given up, on every route.
    pub body_stall_ms: u64,
    /// Entries of a directory that one listing returns; larger directories are listed in pages.
    pub listed_entries: usize,
    /// Entries that a directory may have at all to be listed.
    pub directory_entries: usize,
    /// Archives that are packed or unpacked at once; then 429.
    pub archives: usize,
    /// Entries of one uploaded archive.
    pub archive_entries: u64,
    /// Bytes that one uploaded archive may unpack to.
    pub archive_bytes: u64,
    /// The most bytes that a compressed archive may unpack to beyond the first 64 MiB, as a multiple of its size.
    pub archive_ratio: u64,
    /// Watches that exist at once; then 429.
    pub watches: usize,
    /// Directories that one watch observes; what lies deeper is announced by `overflow`.
    pub watch_directories: usize,
    /// Changes that one watch holds for its reader; more of them become one `overflow`.
    pub watch_pending: usize,
    /// Time for which changes are gathered before they are sent.
    pub watch_gather_ms: u64,
    /// Searches at once; then 429.
    pub searches: usize,
    /// Results that one search returns at most.
    pub search_results: usize,
    /// Entries that one search looks at before it returns what it has.
    pub search_entries: u64,
    /// Time that one search takes before it returns what it has.
    pub search_ms: u64,
    /// Longest line that a search for contents keeps in memory; files with longer ones are left out and counted.
    pub search_line_bytes: usize,
}

impl Default for FilesLimits {
    fn default() -> Self {
        Self {
            operations: 64,
            chunk_bytes: 256 << 10,
            file_bytes: 0,
            body_stall_ms: 60_000,
            listed_entries: 100_000,
            directory_entries: 1_000_000,
            archives: 16,
            archive_entries: 100_000,
            archive_bytes: 64 << 30,
            archive_ratio: 200,
            watches: 64,
            watch_directories: 16_384,
            watch_pending: 4_096,
            watch_gather_ms: 50,
            searches: 16,
            search_results: 10_000,
            search_entries: 5_000_000,
            search_ms: 30_000,
            search_line_bytes: 4 << 20,
        }
    }
}

impl FilesLimits {
    /// Returns the size that a written file must not exceed, if there is one.
    pub(crate) fn largest_file(&self) -> Option<u64> {
        (self.file_bytes > 0).then_some(self.file_bytes)
    }

    /// Returns the timeout for a body that brings nothing.
    pub fn body_stall(&self) -> Duration {
        Duration::from_millis(self.body_stall_ms)
    }
}
