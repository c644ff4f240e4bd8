//! Writes what comes in while more is coming: one piece is hashed and written by a thread that may wait for the disk,
//! the next one is collected meanwhile.

use super::hash::Hasher;
use super::partial::{Note, Partial};
use crate::artifact::Digest;
use crate::error::{Result, SourceError};
use sa_disk::{at, on_disk};
use std::path::{Path, PathBuf};
use tokio::task::JoinHandle;

/// Bytes that are collected before a write.
const PIECE_BYTES: usize = 1 << 18;

/// The writing end of a partial file.
pub(super) struct Writer {
    path: PathBuf,
    state: State,
    collected: Vec<u8>,
    len: u64,
    note: Option<Note>,
}

enum State {
    Idle(Box<Partial>),
    Writing(JoinHandle<Result<Box<Partial>>>),
    /// A write failed; so does everything after it.
    Broken,
}

impl Writer {
    pub(super) async fn open(path: &Path, hasher: Hasher) -> Result<Self> {
        let opened = path.to_owned();
        let partial = on_disk(move || Partial::open(&opened, hasher)).await?;
        let (len, note) = (partial.len, partial.note.clone());
        let state = State::Idle(Box::new(partial));
        Ok(Self { path: path.to_owned(), state, collected: Vec::new(), len, note })
    }

    /// Returns the number of bytes written, including earlier attempts.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the facts about the whole file.
    pub(super) fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// Takes more bytes.
    pub(super) async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.collected.extend_from_slice(bytes);
        self.len += bytes.len() as u64;
        if self.collected.len() < PIECE_BYTES {
            return Ok(());
        }
        let mut partial = self.idle().await?;
        let piece = std::mem::take(&mut self.collected);
        self.state = State::Writing(tokio::task::spawn_blocking(move || {
            partial.append(&piece)?;
            Ok(partial)
        }));
        Ok(())
    }

    /// Everything it was given is in the file.
    pub(super) async fn flush(&mut self) -> Result<()> {
        let piece = std::mem::take(&mut self.collected);
        self.run(move |partial| partial.append(&piece)).await
    }

    /// Forgets the bytes.
    pub(super) async fn restart(&mut self) -> Result<()> {
        self.collected.clear();
        self.run(Partial::restart).await?;
        self.len = 0;
        self.note = None;
        Ok(())
    }

    /// Writes down what the bytes are the start of.
    pub(super) async fn remember(&mut self, note: Note) -> Result<()> {
        let kept = Some(note);
        let written = kept.clone();
        self.run(move |partial| partial.remember(written)).await?;
        self.note = kept;
        Ok(())
    }

    /// Returns the digest of the bytes, which are on the disk then.
    pub(super) async fn digest(&mut self) -> Result<Digest> {
        self.flush().await?;
        self.run(Partial::digest).await
    }

    /// Removes the file; it is of no use.
    pub(super) async fn delete(self) -> Result<()> {
        let path = self.path.clone();
        on_disk(move || Partial::delete(&path)).await
    }

    async fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Partial) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut partial = self.idle().await?;
        let (partial, value) = on_disk(move || {
            let value = work(&mut partial)?;
            Ok::<_, SourceError>((partial, value))
        })
        .await?;
        self.state = State::Idle(partial);
        Ok(value)
    }

    async fn idle(&mut self) -> Result<Box<Partial>> {
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Idle(partial) => Ok(partial),
            State::Writing(task) => task.await.unwrap_or_else(|_| Err(self.broken())),
            State::Broken => Err(self.broken()),
        }
    }

    fn broken(&self) -> SourceError {
        let error = std::io::Error::other("an earlier write failed");
        at(&self.path)(error).into()
    }
}
