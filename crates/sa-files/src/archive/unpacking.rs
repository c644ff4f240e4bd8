//! Unpacking an archive while it comes in. It is all there in the end, or nothing of it is.

use super::decoding::{Allowance, Oversized, decoded};
use super::member::{BadArchive, MemberKind, Members};
use super::merging::{Merge, Pass};
use super::pipe::{self, PipeItem, PipeReader};
use super::staging::Staging;
use crate::error::{At, FilesError, Result, text};
use crate::files::{Files, Located, Shared};
use crate::made::Made;
use crate::writing::DIRECTORY;
use bytes::Bytes;
use sa_api::FsUploadBatchResponse;
use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;

/// Paths that an answer names.
const NAMED: usize = 1024;

/// An archive that comes in. Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub struct Unpacking {
    pieces: Sender<PipeItem>,
    /// None once its outcome was returned.
    worker: Option<JoinHandle<Result<FsUploadBatchResponse>>>,
}

impl Files {
    /// Begins to unpack a tar archive, plain or compressed with gzip or zstd, into a directory, which is made if it is
    /// missing.
    pub async fn unpack(&self, path: &OsStr) -> Result<Unpacking> {
        let located = self.locate(path)?;
        let slot = self.reserve_archive()?;
        let (pieces, reader, taken) = pipe::to_thread();
        let shared = Arc::clone(self.shared());
        let worker = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            unpack(&shared, &located, reader, taken)
        });
        Ok(Unpacking { pieces, worker: Some(worker) })
    }
}

impl Unpacking {
    /// Takes the next bytes of the archive.
    pub async fn push(&mut self, bytes: Bytes) -> Result<()> {
        match self.pieces.send(PipeItem::Data(bytes)).await {
            Ok(()) => Ok(()),
            // It gave up, for a reason.
            Err(_) => Err(self.outcome().await.err().unwrap_or_else(gone)),
        }
    }

    /// Waits until everything is in place.
    pub async fn finish(mut self) -> Result<FsUploadBatchResponse> {
        // The worker has an outcome, even if it no longer reads.
        let _ = self.pieces.send(PipeItem::End).await;
        self.outcome().await
    }

    async fn outcome(&mut self) -> Result<FsUploadBatchResponse> {
        match self.worker.take() {
            Some(worker) => worker.await.map_err(|_| gone())?,
            None => Err(gone()),
        }
    }
}

fn gone() -> FilesError {
    FilesError::Io { path: "archive".to_owned(), reason: "it is no longer unpacked".to_owned() }
}

fn unpack(
    shared: &Shared,
    located: &Located,
    reader: PipeReader,
    taken: Arc<AtomicU64>,
) -> Result<FsUploadBatchResponse> {
    let path = &located.absolute;
    let allowance = Allowance { bytes: shared.limits.archive_bytes, ratio: shared.limits.archive_ratio };
    let input = decoded(reader, taken, allowance).map_err(|error| refused(BadArchive::Read(error)))?;
    let (target, made) = make_target(shared, located)?;
    let unpacked = fill(shared, &target, path, Members::new(input))?;
    made.keep();
    Ok(unpacked)
}

fn make_target(shared: &Shared, located: &Located) -> Result<(OwnedFd, Made)> {
    let _names = shared.lock_names();
    shared.root.make_dirs(&located.beneath, DIRECTORY).at(&located.absolute)
}

fn fill(
    shared: &Shared,
    target: &OwnedFd,
    path: &Path,
    mut members: Members<impl Read>,
) -> Result<FsUploadBatchResponse> {
    let limits = &shared.limits;
    let mut staging = Staging::create(&shared.root, target, path)?;
    let mut unpacked = FsUploadBatchResponse { paths: Vec::new(), truncated: false, entries: 0, bytes: 0 };
    while let Some(member) = members.next().map_err(refused)? {
        unpacked.entries += 1;
        if unpacked.entries > limits.archive_entries {
            return Err(FilesError::TooLarge(format!(
                "the archive has more than {} entries; see files.archive-entries",
                limits.archive_entries
            )));
        }
        let bytes = if member.kind == MemberKind::File { members.left() } else { 0 };
        // The sizes in an archive's headers may be any number.
        unpacked.bytes = unpacked.bytes.saturating_add(bytes);
        staging.add(&member, &mut members)?;
        if member.kind == MemberKind::Directory {
            continue;
        }
        if unpacked.paths.len() < NAMED {
            unpacked.paths.push(text(&path.join(member.path)));
        } else {
            unpacked.truncated = true;
        }
    }
    members.drain().map_err(refused)?;
    let root = shared.root.beneath(target.try_clone().at(path)?);
    for pass in [Pass::Check, Pass::Move] {
        Merge { target: &root, path, pass }.directory(staging.dir(), target, Path::new(""))?;
    }
    Ok(unpacked)
}

/// Turns a refused archive into an error.
pub(super) fn refused(bad: BadArchive) -> FilesError {
    if let BadArchive::Read(error) = &bad
        && let Some(oversized) = error.get_ref().and_then(|inner| inner.downcast_ref::<Oversized>())
    {
        return FilesError::TooLarge(oversized.0.clone());
    }
    FilesError::Invalid(bad.to_string())
}
