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
use sa_disk::on_disk;
use std::sync::Arc;

/// One installation.
pub(super) struct Run<'a> {
    pub(super) inner: &'a Inner,
    pub(super) agent: &'a AgentSpec,
    pub(super) request: InstallRequest,
    pub(super) directory: AgentDirectory,
    /// Whether the version becomes the current one.
    pub(super) selecting: Selecting,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        inner: &'a Inner,
        agent: &'a AgentSpec,
        request: InstallRequest,
        selecting: Selecting,
    ) -> Result<Self, InstallError> {
        let directory = inner.directory(&agent.id)?;
        Ok(Self { inner, agent, request, directory, selecting })
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

    pub(super) async fn install(&self, reporter: &Arc<Reporter>) -> Result<Installed, InstallError> {
        let recipe = self.recipe()?;
        if let Some(version) = &self.request.version {
            if !check_version(version) {
                let (agent, version) = (self.agent.id.clone(), version.clone());
                return Err(InstallError::BadVersion { agent, version });
            }
            if let Some(installed) = self.already(version, reporter).await? {
                return Ok(installed);
            }
        }
        let mut resolver = self.inner.resolver.clone();
        if let Some(mirror) = &self.request.mirror {
            resolver = resolver.through(mirror.clone());
        }
        match self.local(&resolver, reporter).await? {
            Some(Local::Mirror(mirror)) => resolver = resolver.through(mirror),
            Some(Local::Artifact(artifact)) => return self.only(*artifact, &resolver, reporter).await,
            None => {}
        }
        self.any(recipe, &resolver, reporter).await
    }

    /// The newest version that the first source that answers knows.
    pub(super) async fn latest(&self) -> Result<String, InstallError> {
        let recipe = self.recipe()?;
        let mut failures = Failures::default();
        for source in &recipe.sources {
            match self.inner.resolver.resolve(recipe, source, None).await {
                Ok(artifact) => return Ok(artifact.version),
                Err(error) => failures.add(source.kind(), &error),
            }
        }
        Err(failures.sum(self.agent, self.inner.platform, None))
    }

    /// One source after the other.
    async fn any(
        &self,
        recipe: &Recipe,
        resolver: &Resolver,
        reporter: &Arc<Reporter>,
    ) -> Result<Installed, InstallError> {
        let mut failures = Failures::default();
        let wanted = |source: &&Source| self.request.source.is_none_or(|kind| kind == source.kind());
        for source in recipe.sources.iter().filter(wanted) {
            let kind = source.kind();
            reporter.tell(InstallEvent::Resolving { source: kind });
            let error = match self.ask(recipe, source, resolver, reporter).await {
                Ok(installed) => return Ok(installed),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Source(error)) => error,
            };
            tracing::info!(agent = self.agent.id, source = kind.name(), %error, "a source could not help");
            reporter.tell(InstallEvent::SourceFailed { source: kind, reason: error.to_string() });
            failures.add(kind, &error);
        }
        if let Some(kind) = self.request.source.filter(|_| failures.is_empty()) {
            let names: Vec<&str> = recipe.sources.iter().map(|source| source.kind().name()).collect();
            let error = SourceError::Missing(format!("it comes from {} only", names.join(", ")));
            failures.add(kind, &error);
        }
        Err(failures.sum(self.agent, self.inner.platform, self.request.version.as_deref()))
    }

    async fn ask(
        &self,
        recipe: &Recipe,
        source: &Source,
        resolver: &Resolver,
        reporter: &Arc<Reporter>,
    ) -> Result<Installed, Failure> {
        let resolved = resolver.resolve(recipe, source, self.request.version.as_deref()).await;
        let artifact = resolved.map_err(|error| Failure::new(error, self.agent))?;
        self.take(artifact, resolver, reporter).await
    }

    /// The user's directory, which is asked instead of every source.
    async fn local(&self, resolver: &Resolver, reporter: &Reporter) -> Result<Option<Local>, InstallError> {
        let Some(place) = self.request.from.clone() else { return Ok(None) };
        reporter.tell(InstallEvent::Resolving { source: InstallSource::Local });
        let (resolver, agent, version) = (resolver.clone(), self.agent.clone(), self.request.version.clone());
        let looked = on_disk(move || resolver.local(&agent, &place, version.as_deref())).await;
        looked.map(Some).map_err(|error| self.failed_alone(error))
    }

    async fn only(
        &self,
        artifact: Artifact,
        resolver: &Resolver,
        reporter: &Arc<Reporter>,
    ) -> Result<Installed, InstallError> {
        match self.take(artifact, resolver, reporter).await {
            Ok(installed) => Ok(installed),
            Err(Failure::Final(error)) => Err(error),
            Err(Failure::Source(error)) => Err(self.failed_alone(error)),
        }
    }

    fn failed_alone(&self, error: SourceError) -> InstallError {
        match Failure::new(error, self.agent) {
            Failure::Final(error) => error,
            Failure::Source(error) => {
                let mut failures = Failures::default();
                failures.add(InstallSource::Local, &error);
                failures.sum(self.agent, self.inner.platform, self.request.version.as_deref())
            }
        }
    }

    /// Installs what a source offers, unless it is there or must not be trusted.
    async fn take(
        &self,
        artifact: Artifact,
        resolver: &Resolver,
        reporter: &Arc<Reporter>,
    ) -> Result<Installed, Failure> {
        if !check_version(&artifact.version) {
            let reason =
                format!("calls a version {:?}, which cannot be the name of a directory", artifact.version);
            let url = origin_of(&artifact).unwrap_or_default();
            return Err(Failure::Source(SourceError::Nonsense { url, reason }));
        }
        let already = self.already(&artifact.version, reporter).await.map_err(Failure::Final)?;
        if let Some(installed) = already {
            return Ok(installed);
        }
        if let Contents::File(file) = &artifact.contents
            && file.digest.is_none()
            && !self.inner.allow_unverified
            && self.request.from.is_none()
        {
            return Err(Failure::Source(SourceError::Unverified { url: shown(&file.url) }));
        }
        self.place(artifact, resolver, reporter).await
    }

    /// The version if it is there and may stay. It becomes the current one, if this one should.
    async fn already(&self, version: &str, reporter: &Reporter) -> Result<Option<Installed>, InstallError> {
        let found = self.directory.installed(version).filter(|_| !self.request.reinstall);
        let Some(receipt) = found else { return Ok(None) };
        if self.selects(version) && !self.directory.is_selected(version) {
            let lock = Lock::take(&self.directory, || reporter.tell(InstallEvent::Waiting)).await;
            let lock = lock.map_err(|error| InstallError::on_disk(error, &self.agent.id))?;
            // Somebody may have removed it meanwhile.
            if self.directory.installed(version).is_none() {
                return Ok(None);
            }
            self.directory
                .select(version, &lock)
                .map_err(|error| InstallError::on_disk(error, &self.agent.id))?;
        }
        Ok(Some(Installed { receipt, already_installed: true }))
    }

    fn recipe(&self) -> Result<&'a Recipe, InstallError> {
        let missing = || InstallError::NotInstallable {
            agent: self.agent.id.clone(),
            program: self.agent.program().map(str::to_owned),
        };
        self.agent.install.as_ref().filter(|recipe| !recipe.sources.is_empty()).ok_or_else(missing)
    }
}

/// Where it comes from, without credentials.
pub(super) fn origin_of(artifact: &Artifact) -> Option<String> {
    match &artifact.contents {
        Contents::File(file) => Some(shown(&file.url)),
        Contents::Directory(path) => Some(path.display().to_string()),
        Contents::NpmTree(packages) => Some(packages.join(" ")),
    }
}
