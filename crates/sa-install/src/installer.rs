//! The installer: finds programs, and gets the ones that are missing.

mod assembly;
mod failure;
mod find;
mod job;
mod jobs;
mod request;
mod run;

pub use find::{Found, Origin};
pub use job::Job;
pub use request::{InstallEnd, InstallObserver, InstallRequest, Installed, InstallerOptions, Preinstall};

use crate::error::InstallError;
use crate::fetch::Client;
use crate::node::{NodeError, NodePrograms};
use crate::npm_tree::Npm;
use crate::sources::Resolver;
use crate::store::{AgentDirectory, Lock, Receipt, is_newer};
use jobs::Jobs;
use request::Selecting;
use run::Run;
use sa_agents::AgentSpec;
use sa_api::LatestVersion;
use sa_disk::on_disk;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Installs agents beneath one data directory. Clones are the same installer.
#[derive(Debug, Clone)]
pub struct Installer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    agents: PathBuf,
    resolver: Resolver,
    search_path: Option<OsString>,
    node: Option<NodePrograms>,
    allow_unverified: bool,
    observer: Option<InstallObserver>,
    jobs: Jobs,
}

impl Installer {
    /// Touches neither disk nor network yet.
    pub fn new(options: InstallerOptions) -> Self {
        let search_path = options.search_path;
        let node = options
            .supervisor
            .map(|supervisor| NodePrograms { supervisor, search_path: search_path.clone() });
        let mut client = options.client;
        if client.certificates.is_none() {
            client.certificates = options.npm.certificates().map(Path::to_owned);
        }
        let resolver = Resolver {
            client: Client::new(client),
            npm: Npm::new(options.npm, node.clone()),
            platform: options.platform,
            index: options.registry,
        };
        let inner = Inner {
            agents: options.data_dir.join("agents"),
            resolver,
            search_path,
            node,
            allow_unverified: options.allow_unverified,
            observer: options.observer,
            jobs: Jobs::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Checks that this machine's Node.js is one that the agent runs on, if it needs one.
    pub async fn check_node(&self, agent: &AgentSpec, program: &Path) -> Result<(), NodeError> {
        match (&agent.node, &self.inner.node) {
            (Some(wanted), Some(node)) => node.check(&agent.id, wanted, program).await,
            _ => Ok(()),
        }
    }

    /// Returns the search path with the directory of an installed program before all others: agents start programs
    /// that come with them by name.
    pub(crate) fn search_path_beside(&self, program: &Path) -> Option<OsString> {
        let own = program.parent().filter(|directory| directory.is_absolute())?;
        let usual = self.inner.search_path.as_deref()?;
        let all = std::iter::once(own.to_owned()).chain(std::env::split_paths(usual));
        std::env::join_paths(all.filter(|directory| !directory.as_os_str().is_empty())).ok()
    }

    /// Returns the agent's installed versions, the newest first.
    pub fn versions(&self, agent: &str) -> Result<Vec<Receipt>, InstallError> {
        self.inner.directory(agent)?.versions().map_err(|error| InstallError::from_disk(agent, error))
    }

    /// Returns the version that runs when nobody names one.
    pub fn current(&self, agent: &str) -> Result<Option<Receipt>, InstallError> {
        self.inner.directory(agent)?.current().map_err(|error| InstallError::from_disk(agent, error))
    }

    /// Returns the program of an installed version.
    pub fn program(&self, receipt: &Receipt) -> PathBuf {
        self.inner.agents.join(&receipt.agent).join(&receipt.version).join(&receipt.entry)
    }

    /// Starts an installation, or joins the same one that is running. Dropping the job does not cancel it.
    pub fn install(&self, agent: &AgentSpec, request: InstallRequest) -> Job {
        let selecting = Selecting::of(&request);
        self.start(agent, request, selecting)
    }

    /// Returns the agent's program: the installed one, else the one on the search path, else it is installed now, if
    /// it may be.
    pub async fn ensure(
        &self,
        agent: &AgentSpec,
        version: Option<&str>,
        policy: Preinstall,
    ) -> Result<Found, InstallError> {
        let newest = version.is_some_and(request::is_latest);
        let version = version.filter(|_| !newest);
        let found = self.find(agent, version)?;
        match (found, policy) {
            (Some(found), Preinstall::Require) => return Ok(found),
            (Some(found), Preinstall::Lazy) if !newest => return Ok(found),
            (None, Preinstall::Require) => return Err(InstallError::Forbidden { agent: agent.id.clone() }),
            (_, Preinstall::Lazy) => {}
        }
        let request = InstallRequest { version: version.map(str::to_owned), ..InstallRequest::default() };
        // A version that one caller asks for does not become the default for everyone.
        let selecting = if version.is_none() { Selecting::Always } else { Selecting::Never };
        match self.start(agent, request, selecting).outcome().await {
            Ok(installed) => Ok(Found::installed(&self.inner.directory(&agent.id)?, installed.receipt)),
            // Without a network the newest is what is here.
            Err(error) if newest => self.find(agent, None)?.ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// Returns the newest version that is published.
    pub async fn latest(&self, agent: &AgentSpec) -> Result<String, InstallError> {
        run::latest(&self.inner, agent).await
    }

    /// Compares the newest version that is published with the current one.
    pub async fn check_latest(&self, agent: &AgentSpec) -> Result<LatestVersion, InstallError> {
        let latest = self.latest(agent).await?;
        let (installer, id) = (self.clone(), agent.id.clone());
        let installed = on_disk(move || installer.current(&id)).await?.map(|receipt| receipt.version);
        let outdated = installed.as_ref().map(|installed| is_newer(&latest, installed));
        Ok(LatestVersion { agent: agent.id.clone(), installed, latest, outdated })
    }

    /// Removes one version, or all; answers which were removed.
    pub async fn uninstall(&self, agent: &str, version: Option<&str>) -> Result<Vec<String>, InstallError> {
        let directory = self.inner.directory(agent)?;
        if !directory.root().is_dir() {
            return Ok(Vec::new());
        }
        let version = version.map(str::to_owned);
        let lock =
            Lock::take(&directory, || ()).await.map_err(|error| InstallError::from_disk(agent, error))?;
        let removed = on_disk(move || directory.uninstall(version.as_deref(), &lock)).await;
        removed.map_err(|error| InstallError::from_disk(agent, error))
    }

    /// Makes an installed version the one that runs when nobody names one.
    ///
    /// # Errors
    ///
    /// When that version is not installed.
    pub async fn make_current(&self, agent: &str, version: &str) -> Result<Receipt, InstallError> {
        let directory = self.inner.directory(agent)?;
        let missing = |directory: &AgentDirectory| {
            let installed = directory.versions().unwrap_or_default();
            InstallError::NotInstalled {
                agent: agent.to_owned(),
                version: version.to_owned(),
                installed: installed.into_iter().map(|receipt| receipt.version).collect(),
            }
        };
        if directory.installed(version).is_none() {
            return Err(missing(&directory));
        }
        let lock =
            Lock::take(&directory, || ()).await.map_err(|error| InstallError::from_disk(agent, error))?;
        // Somebody may have removed it meanwhile.
        let receipt = directory.installed(version).ok_or_else(|| missing(&directory))?;
        directory.select(version, &lock).map_err(|error| InstallError::from_disk(agent, error))?;
        Ok(receipt)
    }

    /// Gives up all installations, and waits until nothing works on them any more.
    pub async fn shutdown(&self) {
        self.inner.jobs.shutdown().await;
    }

    fn start(&self, agent: &AgentSpec, request: InstallRequest, selecting: Selecting) -> Job {
        let request = request.normal();
        let key = jobs::Key { agent: agent.id.clone(), request: request.clone(), selecting };
        let (inner, agent) = (Arc::clone(&self.inner), agent.clone());
        self.inner.jobs.join_or_start(key, move |reporter| async move {
            let began = SystemTime::now();
            let outcome = match Run::new(&inner, &agent, request, selecting, reporter) {
                Ok(run) => run.install().await,
                Err(error) => Err(error),
            };
            if let Some(observer) = &inner.observer {
                observer.ended(&InstallEnd { agent: &agent, began, outcome: &outcome });
            }
            outcome
        })
    }
}

impl Inner {
    fn directory(&self, agent: &str) -> Result<AgentDirectory, InstallError> {
        let unknown = || InstallError::NotInstallable { agent: agent.to_owned(), program: None };
        AgentDirectory::new(&self.agents, agent).ok_or_else(unknown)
    }
}
