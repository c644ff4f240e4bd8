//! One installation: the sources in their order, until one has it.

use super::failure::{Failure, Failures};
use super::job::Reporter;
use super::request::Selecting;
use super::{Inner, InstallRequest, Installed};
use crate::artifact::{Artifact, Contents};
use crate::error::{InstallError, SourceError};
use crate::fetch::shown;
use crate::sources::{Local, Resolver};
use crate::store::{AgentDirectory, Lock, check_version, is_newer};
use sa_agents::{AgentSpec, Recipe, Source};
use sa_api::{InstallEvent, InstallSource};
use sa_disk::{DiskError, on_disk};
use std::sync::Arc;

/// One installation.
pub(super) struct Run<'a> {
    pub(super) inner: &'a Inner,
    pub(super) agent: &'a AgentSpec,
    recipe: &'a Recipe,
    pub(super) request: InstallRequest,
    pub(super) directory: AgentDirectory,
    selecting: Selecting,
    pub(super) resolver: Resolver,
    pub(super) reporter: Arc<Reporter>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        inner: &'a Inner,
        agent: &'a AgentSpec,
        request: InstallRequest,
        selecting: Selecting,
        reporter: Arc<Reporter>,
    ) -> Result<Self, InstallError> {
        let (directory, recipe) = (inner.directory(&agent.id)?, recipe_of(agent)?);
        let resolver = match &request.mirror {
            Some(mirror) => inner.resolver.through(mirror.clone()),
            None => inner.resolver.clone(),
        };
        Ok(Self { inner, agent, recipe, request, directory, selecting, resolver, reporter })
    }

    /// Returns whether this version becomes the current one.
    pub(super) fn selects(&self, version: &str) -> bool {
        let current = || self.directory.current().ok().flatten();
        let is_older = || current().is_some_and(|current| is_newer(&current.version, version));
        match self.selecting {
            Selecting::Always => true,
            Selecting::UnlessOlder => !is_older(),
            Selecting::Never => !self.directory.has_selection(),
        }
    }

    pub(super) async fn install(mut self) -> Result<Installed, InstallError> {
        if let Some(version) = &self.request.version {
            if !check_version(version) {
                let (agent, version) = (self.agent.id.clone(), version.clone());
                return Err(InstallError::BadVersion { agent, version });
            }
            if let Some(installed) = self.reuse_installed(version).await? {
                return Ok(installed);
            }
        }
        match self.find_local().await? {
            Some(Local::Mirror(mirror)) => self.resolver = self.resolver.through(mirror),
            Some(Local::Artifact(artifact)) => {
                let installed = self.install_artifact(*artifact).await;
                return installed.map_err(|failure| self.local_error(failure));
            }
            None => {}
        }
        self.try_sources().await
    }

    /// Tries one source after the other.
    async fn try_sources(&self) -> Result<Installed, InstallError> {
        let sources = &self.recipe.sources;
        let mut failures = Failures::default();
        let wanted = |source: &&Source| self.request.source.is_none_or(|kind| kind == source.kind());
        for source in sources.iter().filter(wanted) {
            let kind = source.kind();
            self.reporter.report(InstallEvent::Resolving { source: kind });
            let error = match self.try_source(source).await {
                Ok(installed) => return Ok(installed),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Source(error)) => error,
            };
            tracing::info!(agent = self.agent.id, source = kind.name(), %error, "a source could not help");
            self.reporter.report(InstallEvent::SourceFailed { source: kind, reason: error.to_string() });
            failures.add(kind, &error);
        }
        if let Some(kind) = self.request.source.filter(|_| failures.is_empty()) {
            let names: Vec<&str> = sources.iter().map(|source| source.kind().name()).collect();
            let error = SourceError::Missing(format!("it comes from {} only", names.join(", ")));
            failures.add(kind, &error);
        }
        Err(failures.sum(self.agent, self.resolver.platform, self.request.version.as_deref()))
    }

    async fn try_source(&self, source: &Source) -> Result<Installed, Failure> {
        let resolved = self.resolver.resolve(self.recipe, source, self.request.version.as_deref()).await;
        self.install_artifact(resolved.map_err(|error| self.failed(error))?).await
    }

    /// Looks into the user's directory, which replaces every source.
    async fn find_local(&self) -> Result<Option<Local>, InstallError> {
        let Some(place) = self.request.from.clone() else { return Ok(None) };
        self.reporter.report(InstallEvent::Resolving { source: InstallSource::Local });
        let (resolver, agent, version) =
            (self.resolver.clone(), self.agent.clone(), self.request.version.clone());
        let found = on_disk(move || resolver.local(&agent, &place, version.as_deref())).await;
        found.map(Some).map_err(|error| self.local_error(self.failed(error)))
    }

    fn local_error(&self, failure: Failure) -> InstallError {
        match failure {
            Failure::Final(error) => error,
            Failure::Source(error) => {
                let mut failures = Failures::default();
                failures.add(InstallSource::Local, &error);
                failures.sum(self.agent, self.resolver.platform, self.request.version.as_deref())
            }
        }
    }

    /// Installs an artifact, unless it is installed or must not be trusted.
    async fn install_artifact(&self, artifact: Artifact) -> Result<Installed, Failure> {
        if !check_version(&artifact.version) {
            let reason =
                format!("calls a version {:?}, which cannot be the name of a directory", artifact.version);
            let url = origin_of(&artifact).unwrap_or_default();
            return Err(Failure::Source(SourceError::Nonsense { url, reason }));
        }
        if let Some(installed) = self.reuse_installed(&artifact.version).await.map_err(Failure::Final)? {
            return Ok(installed);
        }
        if let Contents::File(file) = &artifact.contents
            && file.digest.is_none()
            && !self.inner.allow_unverified
            && self.request.from.is_none()
        {
            return Err(Failure::Source(SourceError::Unverified { url: shown(&file.url) }));
        }
        self.assemble(artifact).await
    }

    /// Returns the version if it is installed and may stay. Selects it, if this installation should.
    async fn reuse_installed(&self, version: &str) -> Result<Option<Installed>, InstallError> {
        let found = self.directory.installed(version).filter(|_| !self.request.reinstall);
        let Some(receipt) = found else { return Ok(None) };
        if self.selects(version) && !self.directory.is_selected(version) {
            let from_disk = |error| InstallError::from_disk(&self.agent.id, error);
            let lock = self.lock().await.map_err(from_disk)?;
            // Another process may have removed it meanwhile.
            if self.directory.installed(version).is_none() {
                return Ok(None);
            }
            self.directory.select(version, &lock).map_err(from_disk)?;
        }
        Ok(Some(Installed { receipt, already_installed: true }))
    }

    /// Takes the lock of the agent's directory.
    pub(super) async fn lock(&self) -> Result<Lock, DiskError> {
        Lock::take(&self.directory, || self.reporter.report(InstallEvent::Waiting)).await
    }

    /// Errors of this machine's disk are final, because they are the same for every source.
    pub(super) fn failed(&self, error: SourceError) -> Failure {
        match error {
            SourceError::Disk(error) => Failure::Final(InstallError::from_disk(&self.agent.id, error)),
            error => Failure::Source(error),
        }
    }
}

/// Returns the newest version that the first source that answers knows.
pub(super) async fn latest(inner: &Inner, agent: &AgentSpec) -> Result<String, InstallError> {
    let recipe = recipe_of(agent)?;
    let mut failures = Failures::default();
    for source in &recipe.sources {
        match inner.resolver.resolve(recipe, source, None).await {
            Ok(artifact) => return Ok(artifact.version),
            Err(error) => failures.add(source.kind(), &error),
        }
    }
    Err(failures.sum(agent, inner.resolver.platform, None))
}

fn recipe_of(agent: &AgentSpec) -> Result<&Recipe, InstallError> {
    let missing = || InstallError::NotInstallable {
        agent: agent.id.clone(),
        program: agent.program().map(str::to_owned),
    };
    agent.install.as_ref().filter(|recipe| !recipe.sources.is_empty()).ok_or_else(missing)
}

/// Returns the origin of an artifact, without credentials.
pub(super) fn origin_of(artifact: &Artifact) -> Option<String> {
    match &artifact.contents {
        Contents::File(file) => Some(shown(&file.url)),
        Contents::Directory(path) => Some(path.display().to_string()),
        Contents::NpmTree(packages) => Some(packages.join(" ")),
    }
}
