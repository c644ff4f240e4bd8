//! From what a source offers to an installed version, under the agent's lock.

use super::Installed;
use super::failure::Failure;
use super::job::Reporter;
use super::run::{Run, origin_of};
use crate::artifact::{Artifact, Contents, Digest, Format, RemoteFile};
use crate::error::SourceError;
use crate::fetch::{file_name, shown};
use crate::sources::Resolver;
use crate::store::{AgentDirectory, Lock, Receipt, locate_entry};
use crate::unpack::{copy_directory, move_program, unpack};
use sa_api::InstallEvent;
use sa_disk::{Staging, at, on_disk};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A version being put together. Whatever works on it has all of it, so that nobody else gets the lock meanwhile.
struct Bench {
    // In this order: the lock is given back when the staging directory is gone.
    staging: Staging,
    directory: AgentDirectory,
    lock: Lock,
}

impl Bench {
    /// Lends it to a thread that may wait for the disk.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce(&Self) -> Result<T, SourceError> + Send + 'static,
    ) -> Result<(Self, T), SourceError> {
        on_disk(move || {
            let value = work(&self)?;
            Ok((self, value))
        })
        .await
    }

    /// Makes the version an installed one, and the one that runs if `select`.
    fn finish(self, receipt: Receipt, select: bool) -> Result<Receipt, SourceError> {
        let receipt = self.directory.activate(&self.staging, receipt, &self.lock)?;
        if select {
            self.directory.select(&receipt.version, &self.lock)?;
        }
        Ok(receipt)
    }
}

impl Run<'_> {
    /// Fetches, checks, unpacks and activates it.
    pub(super) async fn place(
        &self,
        artifact: Artifact,
        resolver: &Resolver,
        reporter: &Arc<Reporter>,
    ) -> Result<Installed, Failure> {
        let waiting = || reporter.tell(InstallEvent::Waiting);
        let lock = Lock::take(&self.directory, waiting).await.map_err(|error| self.failed(error.into()))?;
        // Whoever had the lock before may have installed just this.
        if let Some(receipt) = self.directory.installed(&artifact.version).filter(|_| !self.request.reinstall)
        {
            self.choose(&receipt.version, &lock).map_err(|error| self.failed(error))?;
            return Ok(Installed { receipt, already_installed: true });
        }
        match self.put_together(artifact, lock, resolver, reporter).await {
            Ok(receipt) => Ok(Installed { receipt, already_installed: false }),
            Err(error) => Err(self.failed(error)),
        }
    }

    async fn put_together(
        &self,
        artifact: Artifact,
        lock: Lock,
        resolver: &Resolver,
        reporter: &Arc<Reporter>,
    ) -> Result<Receipt, SourceError> {
        let staging = self.directory.stage(&lock)?;
        let bench = Bench { staging, directory: self.directory.clone(), lock };
        let (bench, digest) = match &artifact.contents {
            Contents::File(file) => {
                let partial = self.fetch(file, resolver, reporter).await?;
                let bench = self.unpack(bench, file, &artifact.entry, partial.0, reporter).await?;
                (bench, Some(partial.1))
            }
            Contents::Directory(from) => (copy(bench, from.clone(), reporter).await?, None),
            Contents::NpmTree(packages) => {
                resolver.npm.build(bench.staging.path(), packages, &resolver.client).await?;
                (bench, None)
            }
        };
        self.activate(bench, artifact, digest, reporter).await
    }

    async fn fetch(
        &self,
        file: &RemoteFile,
        resolver: &Resolver,
        reporter: &Reporter,
    ) -> Result<(PathBuf, Digest), SourceError> {
        let directory = self.directory.partial();
        fs::create_dir_all(&directory).map_err(at(&directory))?;
        let partial = directory.join(file_name(file));
        let url = shown(&file.url);
        let count =
            |received, total| reporter.tell(InstallEvent::Downloading { url: url.clone(), received, total });
        match resolver.client.download(file, &partial, &count).await {
            Ok(digest) => {
                reporter.tell(InstallEvent::Verifying);
                Ok((partial, digest))
            }
            Err(error) => {
                if Failure::is_full_disk(&error) {
                    // Others need the little space more than the next attempt does.
                    let _ = fs::remove_dir_all(&directory);
                }
                Err(error)
            }
        }
    }

    async fn unpack(
        &self,
        bench: Bench,
        file: &RemoteFile,
        entries: &[String],
        partial: PathBuf,
        reporter: &Arc<Reporter>,
    ) -> Result<Bench, SourceError> {
        let (format, rules, url) = (file.format, file.unpack.clone(), shown(&file.url));
        let program = entries.first().cloned().unwrap_or_default();
        let reporter = Arc::clone(reporter);
        let (bench, ()) = bench
            .work(move |bench| {
                let into = bench.staging.path();
                let written = |written| reporter.tell(InstallEvent::Unpacking { written });
                let unpacked = match format {
                    Format::Program => move_program(&partial, &program, into),
                    _ => unpack(&partial, format, &rules, into, &written),
                };
                // Of no use any more, whether this went well or not; so are those that nobody has asked for since.
                let partials = bench.directory.partial();
                let removed = fs::remove_dir_all(&partials).map_err(at(&partials));
                unpacked.map_err(|error| error.of(&url))?;
                Ok(removed?)
            })
            .await?;
        Ok(bench)
    }

    async fn activate(
        &self,
        bench: Bench,
        artifact: Artifact,
        digest: Option<Digest>,
        reporter: &Reporter,
    ) -> Result<Receipt, SourceError> {
        let url = origin_of(&artifact).unwrap_or_default();
        let entries = artifact.entry.clone();
        let (bench, entry) = bench.work(move |bench| locate_entry(bench.staging.path(), &entries)).await?;
        let Some(entry) = entry else {
            return Err(SourceError::NoProgram { url, entries: artifact.entry.join(", ") });
        };
        reporter.tell(InstallEvent::Activating);
        let receipt = self.receipt(&artifact, entry, digest);
        let choose = self.selects(&receipt.version);
        on_disk(move || bench.finish(receipt, choose)).await
    }

    fn receipt(&self, artifact: &Artifact, entry: String, digest: Option<Digest>) -> Receipt {
        let published = match &artifact.contents {
            Contents::File(file) => file.digest.is_some(),
            Contents::Directory(_) | Contents::NpmTree(_) => false,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Receipt {
            agent: self.agent.id.clone(),
            version: artifact.version.clone(),
            platform: self.inner.platform,
            source: artifact.source.name().to_owned(),
            url: origin_of(artifact),
            digest: digest.map(|digest| digest.to_string()),
            verified: published,
            entry,
            args: artifact.launch.as_ref().map(|launch| launch.args.clone()),
            env: artifact.launch.as_ref().map(|launch| launch.env.clone()).unwrap_or_default(),
            size: 0,
            installed_at_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn choose(&self, version: &str, lock: &Lock) -> Result<(), SourceError> {
        if self.selects(version) {
            self.directory.select(version, lock)?;
        }
        Ok(())
    }

    fn failed(&self, error: SourceError) -> Failure {
        Failure::new(error, self.agent)
    }
}

async fn copy(bench: Bench, from: PathBuf, reporter: &Arc<Reporter>) -> Result<Bench, SourceError> {
    let reporter = Arc::clone(reporter);
    let (bench, ()) = bench
        .work(move |bench| {
            let written = |written| reporter.tell(InstallEvent::Unpacking { written });
            copy_directory(&from, bench.staging.path(), &written)
                .map_err(|error| error.of(&from.display().to_string()))
        })
        .await?;
    Ok(bench)
}
