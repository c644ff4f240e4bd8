//! Why an agent could not be installed, in words that say what to do.

use crate::fetch::shown;
use sa_agents::Platform;
use sa_api::InstallSource;
use sa_disk::DiskError;
use std::path::PathBuf;
use thiserror::Error;
use url::Url;

/// The reason why an installation failed. Cheap to clone: all callers that joined it get a copy.
#[derive(Debug, Clone, Error)]
pub enum InstallError {
    /// The catalog says nothing about how to install it.
    #[error("{}", not_installable(.agent, .program.as_deref()))]
    NotInstallable {
        agent: String,
        /// The command that the configuration gives for it.
        program: Option<String>,
    },
    /// The version is not here.
    #[error("version '{version}' of '{agent}' is not installed; installed are: {}", list(.installed))]
    NotInstalled { agent: String, version: String, installed: Vec<String> },
    /// No source has such a version.
    #[error("there is no version '{version}' of '{agent}': {}", sources(.attempts))]
    UnknownVersion {
        agent: String,
        version: String,
        /// The failure of each source.
        attempts: Vec<Attempt>,
    },
    /// No version can have this name.
    #[error("'{version}' is not the name of a version of '{agent}'")]
    BadVersion { agent: String, version: String },
    /// The vendor has no build for this machine.
    #[error("'{agent}' is not built for {platform}")]
    NoBuild { agent: String, platform: Platform },
    /// Every source failed.
    #[error("'{agent}' could not be installed from any source: {}", sources(.attempts))]
    NoSource {
        agent: String,
        /// The failure of each source.
        attempts: Vec<Attempt>,
    },
    /// The agent must be installed beforehand, and is not.
    #[error("'{agent}' is not installed, and installing it on first use is forbidden (--require-preinstall)")]
    Forbidden { agent: String },
    /// There is no room.
    #[error("no space left for '{agent}' in {}", .directory.display())]
    DiskFull {
        agent: String,
        /// The directory that could not be written.
        directory: PathBuf,
    },
    /// The directory of agents cannot be used.
    #[error("cannot use {}: {reason}", .path.display())]
    Store { path: PathBuf, reason: String },
    /// The installation was given up before its end.
    #[error("the installation of '{0}' was interrupted")]
    Interrupted(String),
}

impl InstallError {
    /// Describes a failure of the disk during an operation on this agent.
    pub(crate) fn from_disk(agent: &str, error: DiskError) -> Self {
        if error.is_full() {
            // The agent's directory says more than the one file that did not fit.
            let its = error.path.ancestors().find(|path| path.file_name().is_some_and(|name| name == agent));
            let directory = its.unwrap_or(&error.path).to_owned();
            return Self::DiskFull { agent: agent.to_owned(), directory };
        }
        Self::Store { path: error.path, reason: error.source.to_string() }
    }

    /// Returns the agent it is about, if it is about one.
    pub fn agent(&self) -> Option<&str> {
        match self {
            Self::NotInstallable { agent, .. }
            | Self::NotInstalled { agent, .. }
            | Self::UnknownVersion { agent, .. }
            | Self::BadVersion { agent, .. }
            | Self::NoBuild { agent, .. }
            | Self::NoSource { agent, .. }
            | Self::Forbidden { agent }
            | Self::DiskFull { agent, .. }
            | Self::Interrupted(agent) => Some(agent),
            Self::Store { .. } => None,
        }
    }

    /// Names the kind of failure, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotInstallable { .. } => "notInstallable",
            Self::NotInstalled { .. } => "notInstalled",
            Self::UnknownVersion { .. } => "unknownVersion",
            Self::BadVersion { .. } => "badVersion",
            Self::NoBuild { .. } => "noBuild",
            Self::NoSource { .. } => "noSource",
            Self::Forbidden { .. } => "forbidden",
            Self::DiskFull { .. } => "diskFull",
            Self::Store { .. } => "store",
            Self::Interrupted(_) => "interrupted",
        }
    }

    /// Returns the failure of each source.
    pub fn attempts(&self) -> &[Attempt] {
        match self {
            Self::UnknownVersion { attempts, .. } | Self::NoSource { attempts, .. } => attempts,
            _ => &[],
        }
    }
}

/// One source that could not help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub source: InstallSource,
    /// The address, without credentials; none if no address was reached.
    pub url: Option<String>,
    pub reason: String,
}

/// A result with the usual error of this crate.
pub(crate) type Result<T, E = SourceError> = std::result::Result<T, E>;

/// The reason why one source failed.
#[derive(Debug, Error)]
pub(crate) enum SourceError {
    /// The source has no build for this platform.
    #[error("no build for {0}")]
    NoBuild(Platform),
    /// The source has no version of this name.
    #[error("no version '{version}' at {url}")]
    NoVersion { version: String, url: String },
    /// The address could not be reached, or broke off too often.
    #[error("{url}: {reason}")]
    Unreachable { url: String, reason: String },
    /// The host answered with an unexpected status.
    #[error("{url}: answered {status}")]
    Status { url: String, status: u16 },
    /// The host's answer is invalid.
    #[error("{url}: {reason}")]
    Nonsense { url: String, reason: String },
    /// The bytes are not those that were published. They were deleted.
    #[error("{url}: the checksum is {found}, but {expected} was published; the file was deleted")]
    Checksum { url: String, expected: String, found: String },
    /// Nobody says what the bytes should be.
    #[error("{url}: its publisher gives no checksum; --allow-unverified installs it all the same")]
    Unverified { url: String },
    /// The archive cannot be unpacked, or must not be.
    #[error("{url}: {reason}")]
    Archive { url: String, reason: String },
    /// The archive was unpacked, but the program is not in it.
    #[error("{url}: holds none of {entries}")]
    NoProgram { url: String, entries: String },
    /// Something is missing on this machine.
    #[error("{0}")]
    Missing(String),
    /// This machine's disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl SourceError {
    pub(crate) fn nonsense(url: &Url, reason: impl Into<String>) -> Self {
        Self::Nonsense { url: shown(url), reason: reason.into() }
    }

    pub(crate) fn unreachable(url: &Url, reason: impl Into<String>) -> Self {
        Self::Unreachable { url: shown(url), reason: reason.into() }
    }

    /// Returns the address that it is about, if it got so far.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::NoVersion { url, .. }
            | Self::Unreachable { url, .. }
            | Self::Status { url, .. }
            | Self::Nonsense { url, .. }
            | Self::Checksum { url, .. }
            | Self::Unverified { url }
            | Self::Archive { url, .. }
            | Self::NoProgram { url, .. } => Some(url),
            Self::NoBuild(_) | Self::Missing(_) | Self::Disk(_) => None,
        }
    }
}

fn not_installable(agent: &str, program: Option<&str>) -> String {
    match program {
        Some(program) => format!(
            "agent '{agent}' runs the command '{program}', which sandbox-agent does not install; install it on this machine"
        ),
        None => format!("there is nothing to install for agent '{agent}'"),
    }
}

fn list(versions: &[String]) -> String {
    if versions.is_empty() { "none".to_owned() } else { versions.join(", ") }
}

fn sources(attempts: &[Attempt]) -> String {
    let words: Vec<String> =
        attempts.iter().map(|attempt| format!("{}: {}", attempt.source.name(), attempt.reason)).collect();
    words.join("; ")
}
