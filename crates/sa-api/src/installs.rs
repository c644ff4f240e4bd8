//! Installing agents: what is asked for, how it goes, what came of it.

use crate::Problem;
use sa_api_macros::api;

/// Settings of an installation.
#[api(strict, Default, Eq)]
pub struct InstallAgent {
    /// A version, or a name such as `latest`, which it is by default.
    pub agent_version: Option<String>,
    /// Fetch it again, although it is installed.
    pub reinstall: Option<bool>,
    /// Use only this kind of source.
    pub source: Option<InstallSource>,
    /// Makes this the version that starts when none is named. Defaults to true, unless a newer version is current.
    pub make_current: Option<bool>,
    /// Taken for compatibility and without effect: an agent is one program of one version here.
    pub agent_process_version: Option<String>,
}

/// A kind of source.
#[api(PartialOrd, Ord, Hash)]
pub enum InstallSource {
    /// The vendor's own store.
    Vendor,
    /// GitHub releases.
    Github,
    /// The npm registry.
    Npm,
    /// The ACP registry.
    Registry,
    /// A directory of the user's; not for requests.
    Local,
}

impl InstallSource {
    /// All that requests and recipes can name.
    pub const REMOTE: &[Self] = &[Self::Vendor, Self::Github, Self::Npm, Self::Registry];
}

/// Result of an installation.
#[api(Eq)]
pub struct InstalledAgent {
    /// The agent.
    pub agent: String,
    /// The version that is there now.
    pub version: String,
    /// The program.
    pub path: String,
    /// The kind of source it came from.
    pub source: String,
    /// True if the version was installed before, so that nothing was downloaded.
    #[newer]
    pub already_installed: bool,
    /// Use `alreadyInstalled`.
    #[serde(rename = "already_installed")]
    #[schema(deprecated)]
    pub already_installed_04: bool,
    /// True if the agent is part of the daemon, so that there was nothing to install.
    #[newer]
    pub built_in: bool,
    /// True if this is the version that starts when none is named.
    #[newer]
    pub current: bool,
    /// The same as a list, for compatibility.
    pub artifacts: Vec<InstallArtifact>,
}

/// An installed program.
#[api(Eq)]
pub struct InstallArtifact {
    /// Always `native_agent`.
    pub kind: String,
    /// Path of the program.
    pub path: String,
    /// Kind of source that the program came from.
    pub source: String,
    /// Version of the program.
    pub version: String,
}

/// An event of an installation. The name of the server-sent event is the value of `step`.
#[api]
#[serde(tag = "step")]
pub enum InstallEvent {
    /// The installation waits for another one of the same agent.
    Waiting,
    /// A source is asked for the version.
    Resolving {
        /// Kind of the source.
        source: InstallSource,
    },
    /// A source failed. The next one is asked.
    SourceFailed {
        /// Kind of the source.
        source: InstallSource,
        /// Reason of the failure.
        reason: String,
    },
    /// The download makes progress.
    Downloading {
        /// Address of the download.
        url: String,
        /// Number of bytes received so far.
        received: u64,
        /// Number of bytes of the whole download, if it is known.
        total: Option<u64>,
    },
    /// The download is compared with its published checksum.
    Verifying,
    /// The download is unpacked.
    Unpacking {
        /// Number of bytes written so far.
        written: u64,
    },
    /// The version is put in place.
    Activating,
    /// The installation succeeded. The stream ends.
    Done(InstalledAgent),
    /// The installation failed. The stream ends.
    Failed(Problem),
}

/// Result of uninstalling an agent.
#[api(Eq)]
pub struct UninstalledAgent {
    /// Id of the agent.
    pub agent: String,
    /// Versions that were removed.
    pub removed: Vec<String>,
}

/// The latest version of an agent.
#[api(Eq)]
pub struct LatestVersion {
    /// Id of the agent.
    pub agent: String,
    /// The version that starts now, if one is installed.
    pub installed: Option<String>,
    /// The newest that its sources have.
    pub latest: String,
    /// True if `latest` is newer than `installed`. Absent if no version is installed.
    pub outdated: Option<bool>,
}
