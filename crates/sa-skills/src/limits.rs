//! Every bound of this crate: time waited, bytes kept, how far it looks.

use std::time::Duration;

/// What a source may cost, and how long a copy of it is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillsLimits {
    /// How long one run of `git` may take.
    pub git_timeout: Duration,
    /// How many bytes a source may have on the disk.
    pub source_bytes: u64,
    /// How many files a source may have.
    pub source_files: u64,
    /// A branch is looked at again when it was last looked at so long ago.
    pub branch_age: Duration,
    /// After a look that failed, the next one comes so much later; until then the copy is used.
    pub failure_pause: Duration,
    /// How long somebody else may be at work on the same source or the same directory.
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

/// How often a source's size is looked at while `git` runs.
pub(crate) const SIZE_INTERVAL: Duration = Duration::from_millis(200);

/// What `git` gets to end by itself when it took too long.
pub(crate) const GIT_GRACE: Duration = Duration::from_secs(1);

/// Nothing that is asked of `git` has a longer answer.
pub(crate) const GIT_OUTPUT_BYTES: u64 = 256 * 1024;

/// How much of `git`'s complaint people are shown.
pub(crate) const COMPLAINT_CHARS: usize = 600;

/// How deep beneath a source's directory skills are looked for.
pub(crate) const SEARCH_DEPTH: usize = 5;

/// How many directories are looked into.
pub(crate) const SEARCH_DIRECTORIES: usize = 10_000;

/// How many entries of directories are looked at.
pub(crate) const SEARCH_ENTRIES: usize = 200_000;

/// How many links that lead out get a warning.
pub(crate) const SEARCH_WARNINGS: usize = 10;

/// The front matter of a `SKILL.md` must be over by then.
pub(crate) const FRONT_MATTER_BYTES: u64 = 64 * 1024;

/// The longest name of a skill.
pub(crate) const NAME_CHARS: usize = 64;
