//! Options, requests and results of an installer.

use crate::error::InstallError;
use crate::fetch::ClientOptions;
use crate::npmrc::NpmConfig;
use crate::store::Receipt;
use sa_agents::{AgentSpec, Platform};
use sa_api::InstallSource;
use sa_supervisor::Supervisor;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;
use url::Url;

/// The installer's view of its machine.
#[derive(Debug, Clone)]
pub struct InstallerOptions {
    /// Agents go beneath its `agents` directory.
    pub data_dir: PathBuf,
    pub platform: Platform,
    /// Options of outgoing requests.
    pub client: ClientOptions,
    pub npm: NpmConfig,
    /// Starts npm for agents that only npm can put together; none if it must not be started.
    pub supervisor: Option<Supervisor>,
    /// The ACP registry's index.
    pub registry: Url,
    /// Directories of programs that are not installed here, as in `PATH`.
    pub search_path: Option<OsString>,
    /// Files whose publisher gives no checksum are installed, too.
    pub allow_unverified: bool,
    /// Called when an installation ends.
    pub observer: Option<InstallObserver>,
}

/// An installation that has ended.
#[derive(Debug)]
pub struct InstallEnd<'a> {
    /// The agent, with the environment that it would get.
    pub agent: &'a AgentSpec,
    pub began: SystemTime,
    pub outcome: &'a Result<Installed, InstallError>,
}

/// A function that is called when an installation ends.
#[derive(Clone)]
pub struct InstallObserver(Arc<dyn Fn(&InstallEnd<'_>) + Send + Sync>);

impl InstallObserver {
    /// Calls that function, which must not block.
    pub fn new(observe: impl Fn(&InstallEnd<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(observe))
    }

    pub(super) fn ended(&self, ended: &InstallEnd<'_>) {
        (self.0)(ended);
    }
}

impl fmt::Debug for InstallObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallObserver")
    }
}

/// A request to install an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct InstallRequest {
    /// The version; none or `latest` for the newest, or a tag that the publisher knows, such as `stable`.
    pub version: Option<String>,
    /// Also if it is installed already.
    pub reinstall: bool,
    pub source: Option<InstallSource>,
    /// From this directory or file of the user's.
    pub from: Option<PathBuf>,
    pub mirror: Option<Url>,
    /// Make it the current version or not; by default it does unless a newer one is current.
    pub make_current: Option<bool>,
}

/// The cases in which a version becomes the current one. The first version always does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Selecting {
    Always,
    UnlessOlder,
    Never,
}

impl Selecting {
    pub(super) fn of(request: &InstallRequest) -> Self {
        match request.make_current {
            Some(true) => Self::Always,
            Some(false) => Self::Never,
            None => Self::UnlessOlder,
        }
    }
}

impl InstallRequest {
    /// Normalizes the request, so that equal ones compare equal.
    pub(super) fn normal(mut self) -> Self {
        self.version = self.version.filter(|version| !is_latest(version));
        self
    }
}

pub(super) fn is_latest(version: &str) -> bool {
    version == "latest"
}

/// A version that is there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub receipt: Receipt,
    pub already_installed: bool,
}

/// The policy for agents that are missing when they are first used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preinstall {
    /// Install them.
    #[default]
    Lazy,
    /// Fail: they must be installed beforehand.
    Require,
}
