//! The store as others hold it.

use crate::error::{OpenError, Result, StoreError};
use crate::files::Condition;
use crate::import::Import;
use crate::limits::CLOSE_WAIT;
use crate::open::Opened;
use crate::options::StoreOptions;
use crate::reader::Readers;
use crate::types::{
    Change, Committed, Direction, EventSlice, ListPlace, Listing, Stats, StoredMessage, StoredSession, Swept,
    TranscriptSlice, Which,
};
use crate::usage::{self, UsagePage, UsageQuery};
use crate::writer::{self, Queue, Work, Writer};
use crate::{listings, open, queries, transcript};
use bytes::Bytes;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A store of sessions. Clones are the same store.
///
/// For one session, wait for a change before making the next: only then is their order certain. Changes of different
/// sessions may be made at once, and share a transaction then.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) queue: Queue,
    readers: Readers,
    path: Option<PathBuf>,
    condition: Condition,
}

impl Store {
    /// Opens a file, or makes it, readable for its owner only; so is its directory if that is made, too.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]. A file that is there is left as it was.
    pub async fn open(path: &Path, options: StoreOptions) -> Result<Self, OpenError> {
        let path = path.to_owned();
        blocking(move || {
            let Opened { connection, lock, path, condition } = open::open(&path, &options)?;
            let file = Some((lock, path.clone()));
            let queue = Writer::start(connection, file, options.retention).map_err(at_start)?;
            let readers = Readers::of_file(path.clone());
            let inner = Inner { queue, readers, path: Some(path), condition };
            Ok(Self { inner: Arc::new(inner) })
        })
        .await
    }

    /// Creates a store that behaves the same and is gone when it is dropped.
    ///
    /// # Errors
    ///
    /// If the system has no more threads or memory.
    pub async fn in_memory(options: StoreOptions) -> Result<Self, OpenError> {
        blocking(move || {
            let queue = Writer::start(open::in_memory()?, None, options.retention).map_err(at_start)?;
            let (readers, condition) = (Readers::Writer, Condition::Missing);
            Ok(Self { inner: Arc::new(Inner { queue, readers, path: None, condition }) })
        })
        .await
    }

    /// Makes a session without events. `false` if there is one with that id.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn create(&self, session: &str, record: Bytes, listing: Listing) -> Result<bool> {
        let id = session.to_owned();
        self.inner
            .queue
            .change(record.len(), move |transaction| writer::create(transaction, &id, &record, &listing))
            .await
    }

    /// Changes a session and answers when that is committed, whole. If nobody waits for the answer it may be made all the same.
    ///
    /// # Errors
    ///
    /// [`StoreError::Sequence`], [`StoreError::UnknownSession`], [`StoreError::UnknownTurn`] and [`StoreError::Repeated`] are
    /// about this change alone, [`StoreError::Corrupt`] is about what it met; the others, such as [`StoreError::Full`], are those
    /// of the disk. Nothing was changed then.
    pub async fn commit(&self, session: &str, change: Change) -> Result<Committed> {
        let (id, bytes, queue) = (session.to_owned(), change.bytes(), &self.inner.queue);
        let committed =
            queue.change(bytes, move |transaction| writer::commit(transaction, &id, &change)).await?;
        queue.grew(bytes);
        Ok(committed)
    }

    /// Notes how far a session's webhook is.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`], and those of the disk.
    pub async fn set_webhook_cursor(&self, session: &str, delivered: u64, state: Bytes) -> Result<()> {
        let id = session.to_owned();
        let note = move |transaction: &writer::Transaction<'_>| {
            writer::set_webhook(transaction, &id, delivered, &state)
        };
        self.inner.queue.change(session.len(), note).await
    }

    /// Forgets a session with all its events and messages. `false` if there was none.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn delete(&self, session: &str) -> Result<bool> {
        let id = session.to_owned();
        self.inner.queue.change(0, move |transaction| writer::delete(transaction, &id)).await
    }

    /// Returns the sessions that have ended and are too old or too much, see [`Retention`](crate::Retention). One that is damaged
    /// is passed over; the log says so, once.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn due(&self) -> Result<Vec<String>> {
        self.inner.queue.change(0, writer::due).await
    }

    /// Removes sessions that have ended and, if there is still too much, the oldest events of those that were idle
    /// longest. Of the sessions that are [`due`](Self::due), only those in `forget` are removed. The store never does
    /// that automatically, so that its caller always knows which sessions there are, and can release them first.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn sweep(&self, forget: Vec<String>) -> Result<Swept> {
        let swept =
            self.inner.queue.change(0, move |transaction| writer::sweep(transaction, &forget)).await?;
        self.inner.queue.swept();
        Ok(swept)
    }

    /// Waits until so much was written since the last sweep that the next one may find something to do.
    pub async fn has_grown(&self) {
        self.inner.queue.has_grown().await;
    }

    /// Begins to bring a session in from elsewhere.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn import(&self) -> Result<Import> {
        Import::begin(Arc::clone(&self.inner)).await
    }

    /// Returns all sessions, in the order in which they were made.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of them is not as it was written.
    pub async fn sessions(&self) -> Result<Vec<StoredSession>> {
        self.read(queries::sessions).await
    }

    /// Returns the sessions in which something was under way, in the order in which they were made.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of them is not as it was written.
    pub async fn active_sessions(&self) -> Result<Vec<StoredSession>> {
        self.read(listings::active).await
    }

    /// Returns sessions that come after a place in the list and that `takes` accepts, the newest first, at most `limit`. One that is
    /// damaged is left out; the log says so.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn list(
        &self,
        which: Which,
        after: Option<ListPlace>,
        limit: usize,
        takes: impl Fn(&str, &Listing) -> bool + Send + 'static,
    ) -> Result<Vec<StoredSession>> {
        self.read(move |connection| listings::page(connection, which, after.as_ref(), limit, takes)).await
    }

    /// Returns whether there is a session with that id.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn has_session(&self, session: &str) -> Result<bool> {
        let id = session.to_owned();
        self.read(move |connection| queries::has_session(connection, &id)).await
    }

    /// Returns the id of the session that was created with a key.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if its listing is not as it was written.
    pub async fn session_with_key(&self, key: &str) -> Result<Option<String>> {
        let key = key.to_owned();
        self.read(move |connection| listings::with_key(connection, &key)).await
    }

    /// Returns whether a session has that id with that agent.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn has_native(&self, agent: &str, native: &str) -> Result<bool> {
        let (agent, native) = (agent.to_owned(), native.to_owned());
        self.read(move |connection| listings::has_native(connection, &agent, &native)).await
    }

    /// Returns the ids of the sessions that have not ended.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn open_ids(&self) -> Result<Vec<String>> {
        self.read(listings::open_ids).await
    }

    /// Notes that nothing is under way in a session any more.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`], and those of the disk.
    pub async fn set_inactive(&self, session: &str) -> Result<()> {
        let (id, queue) = (session.to_owned(), &self.inner.queue);
        queue.change(session.len(), move |transaction| writer::set_inactive(transaction, &id)).await
    }

    /// Returns one session, if there is one with that id.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if it is not as it was written.
    pub async fn session(&self, session: &str) -> Result<Option<StoredSession>> {
        let id = session.to_owned();
        self.read(move |connection| queries::session(connection, &id)).await
    }

    /// Returns the events after one of them, or after the beginning (0): at most `limit`, and at most `max_bytes` of
    /// data unless the first one alone is more. Always in one piece; if it begins later than asked for, what is
    /// missing is no longer kept.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`]; [`StoreError::Corrupt`] if an event is not as it was written.
    pub async fn events(
        &self,
        session: &str,
        after: u64,
        limit: usize,
        max_bytes: usize,
    ) -> Result<EventSlice> {
        let id = session.to_owned();
        self.read(move |connection| queries::events(connection, &id, after, limit, max_bytes)).await
    }

    /// Returns messages of a session's transcript, those after a position in that direction: at most `limit`, and at most
    /// `max_bytes` of events unless the first one alone is more.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`]; [`StoreError::Corrupt`] if something is not as it was written.
    pub async fn transcript(
        &self,
        session: &str,
        after: Option<u64>,
        direction: Direction,
        limit: usize,
        max_bytes: usize,
    ) -> Result<TranscriptSlice> {
        let id = session.to_owned();
        self.read(move |connection| transcript::read(connection, &id, after, direction, limit, max_bytes))
            .await
    }

    /// Returns the message that a client sent with a key. It is remembered for a while after it is done, see
    /// [`Retention`](crate::Retention).
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`]; [`StoreError::Corrupt`] if it is not as it was written.
    pub async fn message_by_key(&self, session: &str, key: &str) -> Result<Option<StoredMessage>> {
        let (id, key) = (session.to_owned(), key.to_owned());
        self.read(move |connection| queries::message_by_key(connection, &id, &key)).await
    }

    /// Returns the messages that were accepted and are not done, in that order.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`]; [`StoreError::Corrupt`] if one is not as it was written.
    pub async fn pending_messages(&self, session: &str) -> Result<Vec<StoredMessage>> {
        let id = session.to_owned();
        self.read(move |connection| queries::pending_messages(connection, &id)).await
    }

    /// Returns the sums of tokens and cost that a query asks for, those of deleted sessions included. A row that is damaged is
    /// left out; the log says so.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    pub async fn usage(&self, query: UsageQuery) -> Result<UsagePage> {
        self.read(move |connection| usage::sum(connection, &query)).await
    }

    /// Finishes what was handed over and closes the file cleanly. From then on everything is [`StoreError::Closed`]. It waits
    /// some seconds at most; what was committed is safe in any case.
    pub async fn close(&self) {
        self.inner.readers.close();
        let (done, closed) = oneshot::channel();
        let close = async {
            if self.inner.queue.send(Work::Close(done)).await.is_ok() {
                let _ = closed.await;
            }
        };
        if tokio::time::timeout(CLOSE_WAIT, close).await.is_err() {
            tracing::warn!("the session store was not closed in time");
        }
    }

    /// Returns whether the process that had the file open before was killed.
    #[must_use]
    pub fn was_cut_off(&self) -> bool {
        self.inner.condition == Condition::Doubtful
    }

    /// Returns the file, if there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    /// Returns counters since the store was opened.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.inner.queue.stats()
    }

    async fn read<T, F>(&self, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        self.inner.readers.read(&self.inner.queue, read).await
    }
}

/// Opens a store. A panic of a migration is an error, too: the file stays as it was.
async fn blocking<F>(open: F) -> Result<Store, OpenError>
where
    F: FnOnce() -> Result<Store, OpenError> + Send + 'static,
{
    let opened = tokio::task::spawn_blocking(open).await;
    opened.unwrap_or_else(|error| Err(OpenError::Io(error.to_string())))
}

fn at_start(error: StoreError) -> OpenError {
    OpenError::Io(error.to_string())
}
