//! Errors of skills, with a remedy. `origin` names the source in the configuration.

use sa_disk::DiskError;
use std::path::PathBuf;

/// A result with the usual error of this crate.
pub(crate) type Result<T, E = SkillsError> = std::result::Result<T, E>;

/// The reason why skills could not be put in place.
#[derive(Debug, thiserror::Error)]
pub enum SkillsError {
    /// The type is not one of those that there are.
    #[error("{origin}: the type {kind:?} is not known; use `local`, `git` or `github`")]
    Kind { origin: String, kind: String },
    /// The address is not one that is fetched from.
    #[error("{origin}: this address is not used: {reason}")]
    Address { origin: String, reason: String },
    /// The reference is not a branch, tag or commit that could exist.
    #[error("{origin}: {reference:?} cannot be a branch, tag or commit")]
    Reference { origin: String, reference: String },
    /// The repository has no such branch or tag.
    #[error(
        "{origin}: the repository has no branch or tag {reference:?}; a commit is named by all of its digits"
    )]
    NoReference { origin: String, reference: String },
    /// The directory in the source climbs, is absolute, or is no directory.
    #[error("{origin}: subpath {subpath:?} {reason}")]
    Subpath { origin: String, subpath: String, reason: &'static str },
    /// A link in the source leads out of it.
    #[error(
        "{origin}: {link} is a link that leads out of the source, or nowhere; such links are not followed"
    )]
    LeadsOut {
        origin: String,
        /// The link, from the source's root.
        link: String,
    },
    /// The directory of a local source is not there.
    #[error("{origin}: there is no directory {}; create it or correct the source", path.display())]
    NoDirectory { origin: String, path: PathBuf },
    /// The source has no skills.
    #[error("{origin}: no directory with a SKILL.md was found; `subpath` says where to look")]
    NoSkills { origin: String },
    /// A skill that is asked for is not there.
    #[error("{origin}: there is no skill {name:?}; there are {}", known.join(", "))]
    NoSuchSkill { origin: String, name: String, known: Vec<String> },
    /// A skill has a name that no directory should have.
    #[error(
        "{origin}: the skill in {directory} has no usable name; give it one of letters, digits, `-`, `_` and `.`"
    )]
    Name { origin: String, directory: String },
    /// Two skills have one name.
    #[error(
        "two skills are called {name:?}: one of {first}, one of {second}; narrow one down with `skills` or `subpath`"
    )]
    SameName { name: String, first: String, second: String },
    /// `git` is not installed.
    #[error(
        "{origin}: the program `git` is needed to fetch it and was not found; install it, or use a `local` source"
    )]
    NoGit { origin: String },
    /// `git` failed.
    #[error("{origin}: {action} failed: {reason}")]
    Git {
        origin: String,
        action: &'static str,
        /// The error of `git`, and what to do.
        reason: String,
        fault: SkillsFault,
    },
    /// `git` took too long.
    #[error("{origin}: {action} took longer than {seconds} s and was ended")]
    TimedOut { origin: String, action: &'static str, seconds: u64 },
    /// The source is too large.
    #[error("{origin}: it is larger than {bytes} bytes or {files} files; choose a smaller repository")]
    TooLarge { origin: String, bytes: u64, files: u64 },
    /// Somebody else works on the same thing and does not finish.
    #[error("another process has been at work on {} for too long", path.display())]
    Busy { path: PathBuf },
    /// The directory of the session does not exist, or its place for skills is a link or a file.
    #[error("skills cannot be placed in {}: {reason}", path.display())]
    Place { path: PathBuf, reason: &'static str },
    /// The disk refused something.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// The change that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillsFault {
    /// The configuration: it names a source, a skill or a place that is not there, or that is not used.
    Configuration,
    /// The way to a source, or the source's server. Trying again later may help.
    Unreachable,
    /// This machine: its disk, a program that is not installed, another process that does not finish.
    Machine,
}

impl SkillsError {
    /// Returns whether the configuration is wrong, or right and of no use at the moment.
    pub fn fault(&self) -> SkillsFault {
        match self {
            Self::Git { fault, .. } => *fault,
            Self::TimedOut { .. } => SkillsFault::Unreachable,
            Self::NoGit { .. } | Self::Busy { .. } | Self::Disk(_) => SkillsFault::Machine,
            Self::Kind { .. }
            | Self::Address { .. }
            | Self::Reference { .. }
            | Self::NoReference { .. }
            | Self::Subpath { .. }
            | Self::LeadsOut { .. }
            | Self::NoDirectory { .. }
            | Self::NoSkills { .. }
            | Self::NoSuchSkill { .. }
            | Self::Name { .. }
            | Self::SameName { .. }
            | Self::TooLarge { .. }
            | Self::Place { .. } => SkillsFault::Configuration,
        }
    }
}
