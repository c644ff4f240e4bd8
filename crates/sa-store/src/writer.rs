//! The writer: one thread that owns the writing connection and commits what waits for it as one transaction.

mod append;
mod change;
mod chores;
mod copier;
mod messages;
mod queue;
mod retention;

pub(crate) use change::{commit, create, delete, publish, set_inactive, set_webhook, stage};
pub(crate) use queue::{Queue, Work};
pub(crate) use retention::{due, sweep};

use crate::error::{Result, StoreError};
use crate::files;
use crate::limits::{GROUP_BYTES, GROUP_CHANGES, SWEEP_PART};
use crate::listings::{self, Census};
use crate::options::Retention;
use crate::runs::Packer;
use crate::statements::Statements;
use chores::Chores;
use copier::Copier;
use queue::{Counters, Inbox, Task};
use rusqlite::Connection;
use sa_disk::FileLock;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::oneshot;

/// A transaction in which changes are made.
pub(crate) struct Transaction<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) retention: &'a Retention,
    /// The time, in milliseconds since 1970.
    pub(crate) now_ms: u64,
    /// Set once a session was deleted.
    pub(crate) doomed: Cell<bool>,
    /// The number of sessions that were added and removed in this transaction.
    census: Cell<Census>,
    packer: &'a RefCell<Packer>,
    /// The state of the writer's thread.
    passed_over: &'a RefCell<BTreeSet<i64>>,
}

impl Statements for Transaction<'_> {
    fn connection(&self) -> &Connection {
        self.connection
    }
}

impl Transaction<'_> {
    /// Notes how many more sessions there are, and how many more have ended.
    pub(crate) fn count(&self, sessions: i64, ended: i64) {
        let so_far = self.census.get();
        let (sessions, ended) = (so_far.sessions + sessions, so_far.ended + ended);
        self.census.set(Census { sessions, ended });
    }

    /// Returns the result for a session, or nothing if it is damaged. The damage is reported once, and others have
    /// their turn.
    fn unless_damaged<T>(&self, number: i64, found: Result<Option<T>>) -> Result<Option<T>> {
        match found {
            Err(error @ StoreError::Corrupt(_)) => {
                if self.passed_over.borrow_mut().insert(number) {
                    tracing::error!(number, %error, "a stored session cannot be read and is passed over");
                }
                Ok(None)
            }
            found => found,
        }
    }
}

/// The thread's belongings.
pub(crate) struct Writer {
    connection: Connection,
    /// Given back when the thread ends, after the connection; absent in memory.
    lock: Option<FileLock>,
    path: Option<PathBuf>,
    retention: Retention,
    inbox: Inbox,
    counters: Arc<Counters>,
    chores: Chores,
    packer: RefCell<Packer>,
    /// Numbers of damaged sessions that were skipped and reported.
    passed_over: RefCell<BTreeSet<i64>>,
}

/// The reason why the thread's loop ended.
enum End {
    /// Nobody holds the store any more.
    Dropped,
    /// The store was closed; the caller may wait for that.
    Closed(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the thread and gives the way to it.
    pub(crate) fn start(
        connection: Connection,
        file: Option<(FileLock, PathBuf)>,
        retention: Retention,
    ) -> Result<Queue> {
        let (queue, inbox) = queue::queue(retention.total_bytes / SWEEP_PART);
        let (lock, path) = file.unzip();
        let counters = queue.counters();
        counters.lock().count(listings::census(&connection)?);
        let copier = path.as_ref().map(|path| Copier::start(path, queue.counters())).transpose()?;
        let chores = Chores::new(copier);
        let passed_over = RefCell::default();
        let packer = RefCell::default();
        let writer = Self { connection, lock, path, retention, inbox, counters, chores, packer, passed_over };
        let thread = std::thread::Builder::new().name("store-writer".to_owned());
        thread.spawn(move || writer.run()).map_err(|error| StoreError::Io(error.to_string()))?;
        Ok(queue)
    }

    fn run(mut self) {
        let end = self.serve();
        let Self { connection, lock, path, chores, .. } = self;
        drop(chores);
        if path.is_some() {
            chores::finish(&connection);
        }
        drop(connection);
        drop(lock);
        if let End::Closed(done) = end {
            let _ = done.send(());
        }
    }

    fn serve(&mut self) -> End {
        loop {
            let work = match self.inbox.try_next() {
                Ok(work) => work,
                Err(TryRecvError::Empty) => {
                    self.chores.doom_abandoned(&self.connection, &self.inbox);
                    if self.chores.step(&self.connection, &self.counters) {
                        continue;
                    }
                    match self.inbox.next() {
                        Some(work) => work,
                        None => return End::Dropped,
                    }
                }
                Err(TryRecvError::Disconnected) => return End::Dropped,
            };
            let after = match work {
                Work::Change(first) => self.commit_group(first),
                other => Some(other),
            };
            match after {
                None | Some(Work::Wake | Work::Change(_)) => {}
                Some(Work::Read(read)) => read(&mut self.connection),
                Some(Work::Close(done)) => return End::Closed(done),
            }
        }
    }

    /// Commits a change with all that wait behind it. Gives back what came last, if that was no change.
    fn commit_group(&mut self, first: Box<dyn Task>) -> Option<Work> {
        let mut bytes = first.bytes();
        let mut group = vec![first];
        let mut rest = None;
        while bytes < GROUP_BYTES && group.len() < GROUP_CHANGES {
            match self.inbox.try_next() {
                Ok(Work::Change(task)) => {
                    bytes += task.bytes();
                    group.push(task);
                }
                Ok(other) => {
                    rest = Some(other);
                    break;
                }
                Err(_) => break,
            }
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now_ms = u64::try_from(now.as_millis()).unwrap_or_default();
        let transaction = Transaction {
            connection: &self.connection,
            retention: &self.retention,
            now_ms,
            doomed: Cell::new(false),
            census: Cell::default(),
            packer: &self.packer,
            passed_over: &self.passed_over,
        };
        let changes = group.len();
        let outcome = transact(&transaction, &mut group);
        if outcome.is_ok() {
            self.chores.note_commit();
            if transaction.doomed.get() {
                self.chores.note_deletion();
            }
            self.counters.lock().count(transaction.census.get());
        }
        self.answer(group, outcome);
        self.chores.after_commit(&self.connection, &self.counters, bytes, changes);
        rest
    }

    fn answer(&mut self, group: Vec<Box<dyn Task>>, outcome: Result<Vec<Result<()>>>) {
        match outcome {
            Ok(outcomes) => {
                self.counters.lock().transactions += 1;
                for (task, outcome) in group.into_iter().zip(outcomes) {
                    self.counters.lock().changes += u64::from(outcome.is_ok());
                    if let Err(error @ StoreError::Corrupt(_)) = &outcome {
                        tracing::warn!(%error, "a change of the session store was rolled back");
                    }
                    task.answer(outcome);
                }
            }
            Err(error) => {
                self.counters.lock().failures += 1;
                let error = self.explained(error);
                if error == StoreError::Full && self.path.is_some() {
                    chores::make_room(&self.connection);
                }
                tracing::warn!(changes = group.len(), %error, "a transaction of the session store was rolled back");
                for task in group {
                    task.answer(Err(error.clone()));
                }
            }
        }
    }

    fn explained(&self, error: StoreError) -> StoreError {
        match (&error, &self.path) {
            (StoreError::Exhausted(_) | StoreError::Io(_), Some(path)) if files::has_no_room(path) => {
                StoreError::Full
            }
            _ => error,
        }
    }
}

type Outcomes = Vec<Result<()>>;

type Run = fn(&Transaction<'_>, &mut [Box<dyn Task>]) -> Result<Outcomes>;

/// Makes all changes in one transaction. One that is refused, or that meets something damaged, leaves nothing behind and lets
/// the others be.
///
/// Savepoints cost as much as small changes do, and such changes are rare: only if there is one is all made again with them.
fn transact(transaction: &Transaction<'_>, group: &mut [Box<dyn Task>]) -> Result<Outcomes> {
    match attempt(transaction, group, run_all) {
        Err(error) if !error.concerns_all() => attempt(transaction, group, run_each),
        outcome => outcome,
    }
}

fn attempt(transaction: &Transaction<'_>, group: &mut [Box<dyn Task>], run: Run) -> Result<Outcomes> {
    transaction.census.take();
    let outcome = transaction.change("BEGIN IMMEDIATE", []).and_then(|()| run(transaction, group));
    let outcome = outcome.and_then(|outcomes| transaction.change("COMMIT", []).map(|()| outcomes));
    // SQLite has rolled back after some errors.
    if outcome.is_err() && !transaction.connection.is_autocommit() {
        transaction.change("ROLLBACK", [])?;
    }
    outcome
}

fn run_all(transaction: &Transaction<'_>, group: &mut [Box<dyn Task>]) -> Result<Outcomes> {
    group.iter_mut().map(|task| task.run(transaction).map(Ok)).collect()
}

fn run_each(transaction: &Transaction<'_>, group: &mut [Box<dyn Task>]) -> Result<Outcomes> {
    let run = |task: &mut Box<dyn Task>| {
        transaction.change("SAVEPOINT one", [])?;
        let census = transaction.census.get();
        let outcome = task.run(transaction);
        match &outcome {
            Ok(()) => {}
            // SQLite has rolled back everything after some errors.
            Err(error) if error.concerns_all() || transaction.connection.is_autocommit() => {
                return Err(error.clone());
            }
            Err(_) => {
                transaction.census.set(census);
                transaction.change("ROLLBACK TO one", [])?;
            }
        }
        transaction.change("RELEASE one", [])?;
        Ok(outcome)
    };
    group.iter_mut().map(run).collect()
}
