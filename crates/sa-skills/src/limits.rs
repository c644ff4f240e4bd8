//! Every bound of this crate: time waited, bytes kept, how far it looks.

use std::time::Duration;

/// Limits of sources, and the lifetime of copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillsLimits {
    /// Timeout of one run of `git`.
    pub git_timeout: Duration,
    /// The most bytes of a source on the disk.
    pub source_bytes: u64,
    /// The most files of a source.
    pub source_files: u64,
    /// A branch is looked at again when it was last looked at so long ago.
    pub branch_age: Duration,
    /// After a look that failed, the next one comes so much later; until then the copy is used.
    pub failure_pause: Duration,
    /// Timeout for the lock of a source or a directory.
    pub lock_wait: Duration,
}

impl Default for SkillsLimits {
    fn default() -> Self {
        Self {
            git_timeout: Duration::from_secs(120),
            source_bytes: 256 * 1024 * 1024,
            source_files: 50_000,
            branch_age: Duration::from_secs(10 * 60),
            failure_pause: Duration::from_secs(60),
            lock_wait: Duration::from_secs(300),
        }
    }
}

/// Interval at which a source's size is measured while `git` runs.
pub(crate) const SIZE_INTERVAL: Duration = Duration::from_millis(200);

/// Time between SIGTERM and SIGKILL for `git`.
pub(crate) const GIT_GRACE: Duration = Duration::from_secs(1);

/// The most bytes of `git`'s output.
pub(crate) const GIT_OUTPUT_BYTES: u64 = 256 * 1024;

/// The most characters of `git`'s error that are shown.
pub(crate) const COMPLAINT_CHARS: usize = 600;

/// The depth of the search for skills beneath a source's directory.
pub(crate) const SEARCH_DEPTH: usize = 5;

/// The most directories of a search.
pub(crate) const SEARCH_DIRECTORIES: usize = 10_000;

/// The most entries of a search.
pub(crate) const SEARCH_ENTRIES: usize = 200_000;

/// The most warnings about directories that are left out.
pub(crate) const SEARCH_WARNINGS: usize = 10;

/// The front matter of a `SKILL.md` must be over by then.
pub(crate) const FRONT_MATTER_BYTES: u64 = 64 * 1024;

/// The longest name of a skill.
pub(crate) const NAME_CHARS: usize = 64;
