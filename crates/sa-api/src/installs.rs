//! Installing agents: what is asked for, how it goes, what came of it.

use crate::Problem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What to install.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InstallAgent {
    /// A version, or a name such as `latest`, which it is by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_version: Option<String>,
    /// Fetch it again, although it is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reinstall: Option<bool>,
    /// Use only this kind of source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub source: Option<InstallSource>,
    /// Whether it becomes the version that starts when none is named. By default it does, unless a newer version is current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub make_current: Option<bool>,
    /// Taken for compatibility and without effect: an agent is one program of one version here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_process_version: Option<String>,
}

/// A kind of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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

/// What an installation led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledAgent {
    /// The agent.
    pub agent: String,
    /// The version that is there now.
    pub version: String,
    /// The program.
    pub path: String,
    /// The kind of source it came from.
    pub source: String,
    /// Whether it was there before, so that nothing was fetched.
    #[serde(default)]
    #[schema(required = true)]
    pub already_installed: bool,
    /// Use `alreadyInstalled`.
    #[serde(rename = "already_installed")]
    #[schema(deprecated)]
    pub already_installed_04: bool,
    /// Whether the whole agent is part of the daemon, so that there was nothing to install.
    #[serde(default)]
    #[schema(required = true)]
    pub built_in: bool,
    /// Whether this is the version that starts when none is named.
    #[serde(default)]
    #[schema(required = true)]
    pub current: bool,
    /// The same as a list, for compatibility.
    pub artifacts: Vec<InstallArtifact>,
}

/// One installed program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallArtifact {
    /// Always `native_agent`.
    pub kind: String,
    /// The program.
    pub path: String,
    /// The kind of source it came from.
    pub source: String,
    /// Its version.
    pub version: String,
}

/// One event of an installation that is followed as a stream. The event's name is the value of `step`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "step", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum InstallEvent {
    /// Another installation of the agent is waited for.
    Waiting,
    /// A source is asked what it has.
    Resolving {
        /// Its kind.
        source: InstallSource,
    },
    /// A source could not help; the next one is asked.
    SourceFailed {
        /// Its kind.
        source: InstallSource,
        /// Why.
        reason: String,
    },
    /// Bytes are coming in.
    Downloading {
        /// From where.
        url: String,
        /// How many there are.
        received: u64,
        /// How many there will be, if that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        total: Option<u64>,
    },
    /// The bytes are compared with what was published.
    Verifying,
    /// They are unpacked.
    Unpacking {
        /// Bytes written so far.
        written: u64,
    },
    /// The version is put in its place.
    Activating,
    /// The end: it is installed.
    Done(InstalledAgent),
    /// The end: it is not.
    Failed(Problem),
}

impl InstallEvent {
    /// The name of the server-sent event.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Resolving { .. } => "resolving",
            Self::SourceFailed { .. } => "sourceFailed",
            Self::Downloading { .. } => "downloading",
            Self::Verifying => "verifying",
            Self::Unpacking { .. } => "unpacking",
            Self::Activating => "activating",
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
        }
    }
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UninstalledAgent {
    /// The agent.
    pub agent: String,
    /// The versions that are gone.
    pub removed: Vec<String>,
}

/// Whether there is something newer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatestVersion {
    /// The agent.
    pub agent: String,
    /// The version that starts now, if one is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub installed: Option<String>,
    /// The newest that its sources have.
    pub latest: String,
    /// Whether `latest` is newer than `installed`; absent if nothing is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outdated: Option<bool>,
}
