//! From an artifact to an installed version, under the agent's lock.

use super::Installed;
use super::failure::Failure;
use super::run::{Run, origin_of};
use crate::artifact::{Artifact, Contents, Digest, Format, RemoteFile};
use crate::error::{Result, SourceError};
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

/// A version in its staging directory, with the lock. Each step owns all of it, so that no other process gets the lock
/// meanwhile.
struct Assembly {
    // In this order: the lock is given back when the staging directory is gone.
    staging: Staging,
    directory: AgentDirectory,
    lock: Lock,
}

impl Assembly {
    /// Lends it to a thread that may wait for the disk.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<(Self, T)> {
        on_disk(move || {
            let value = work(&self)?;
            Ok((self, value))
        })
        .await
    }

    /// Makes the version an installed one, and the one that runs if `select`.
    fn finish(self, receipt: Receipt, select: bool) -> Result<Receipt> {
        let receipt = self.directory.activate(&self.staging, receipt, &self.lock)?;
        if select {
            self.directory.select(&receipt.version, &self.lock)?;
        }
        Ok(receipt)
    }
}

impl Run<'_> {
    /// Fetches, verifies, unpacks and activates an artifact.
    pub(super) async fn assemble(&self, artifact: Artifact) -> Result<Installed, Failure> {
        let lock = self.lock().await.map_err(|error| self.failed(error.into()))?;
        // The previous holder of the lock may have installed the same version.
        if let Some(receipt) = self.directory.installed(&artifact.version).filter(|_| !self.request.reinstall)
        {
            if self.selects(&receipt.version) {
                let selected = self.directory.select(&receipt.version, &lock);
                selected.map_err(|error| self.failed(error.into()))?;
            }
            return Ok(Installed { receipt, already_installed: true });
        }
        match self.fill_and_activate(artifact, lock).await {
            Ok(receipt) => Ok(Installed { receipt, already_installed: false }),
            Err(error) => Err(self.failed(error)),
        }
    }

    async fn fill_and_activate(&self, artifact: Artifact, lock: Lock) -> Result<Receipt> {
        let staging = self.directory.stage(&lock)?;
        let assembly = Assembly { staging, directory: self.directory.clone(), lock };
        let (assembly, digest) = match &artifact.contents {
            Contents::File(file) => {
                let (partial, digest) = self.fetch(file).await?;
                (self.unpack(assembly, file, &artifact.entry, partial).await?, Some(digest))
            }
            Contents::Directory(from) => (self.copy(assembly, from.clone()).await?, None),
            Contents::NpmTree(packages) => {
                let Resolver { npm, client, .. } = &self.resolver;
                npm.build(assembly.staging.path(), packages, client).await?;
                (assembly, None)
            }
        };
        self.activate(assembly, artifact, digest).await
    }

    async fn fetch(&self, file: &RemoteFile) -> Result<(PathBuf, Digest)> {
        let directory = self.directory.partial();
        fs::create_dir_all(&directory).map_err(at(&directory))?;
        let partial = directory.join(file_name(file));
        let url = shown(&file.url);
        let count = |received, total| {
            self.reporter.report(InstallEvent::Downloading { url: url.clone(), received, total })
        };
        match self.resolver.client.download(file, &partial, &count).await {
            Ok(digest) => {
                self.reporter.report(InstallEvent::Verifying);
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
        assembly: Assembly,
        file: &RemoteFile,
        entries: &[String],
        partial: PathBuf,
    ) -> Result<Assembly> {
        let (format, rules, url) = (file.format, file.unpack.clone(), shown(&file.url));
        let program = entries.first().cloned().unwrap_or_default();
        let reporter = Arc::clone(&self.reporter);
        let (assembly, ()) = assembly
            .work(move |assembly| {
                let into = assembly.staging.path();
                let written = |written| reporter.report(InstallEvent::Unpacking { written });
                let unpacked = match format {
                    Format::Program => move_program(&partial, &program, into),
                    _ => unpack(&partial, format, &rules, into, &written),
                };
                // Of no use any more, whether this went well or not; so are those that nobody has asked for since.
                let partials = assembly.directory.partial();
                let removed = fs::remove_dir_all(&partials).map_err(at(&partials));
                unpacked.map_err(|error| error.of(&url))?;
                Ok(removed?)
            })
            .await?;
        Ok(assembly)
    }

    async fn activate(
        &self,
        assembly: Assembly,
        artifact: Artifact,
        digest: Option<Digest>,
    ) -> Result<Receipt> {
        let url = origin_of(&artifact).unwrap_or_default();
        let entries = artifact.entry.clone();
        let (assembly, entry) =
            assembly.work(move |assembly| locate_entry(assembly.staging.path(), &entries)).await?;
        let Some(entry) = entry else {
            return Err(SourceError::NoProgram { url, entries: artifact.entry.join(", ") });
        };
        self.reporter.report(InstallEvent::Activating);
        let receipt = self.receipt(&artifact, entry, digest);
        let select = self.selects(&receipt.version);
        on_disk(move || assembly.finish(receipt, select)).await
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
            platform: self.resolver.platform,
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

    async fn copy(&self, assembly: Assembly, from: PathBuf) -> Result<Assembly> {
        let reporter = Arc::clone(&self.reporter);
        let (assembly, ()) = assembly
            .work(move |assembly| {
                let written = |written| reporter.report(InstallEvent::Unpacking { written });
                copy_directory(&from, assembly.staging.path(), &written)
                    .map_err(|error| error.of(&from.display().to_string()))
            })
            .await?;
        Ok(assembly)
    }
}
