//! Background work of the writer: removing the rows of deleted sessions, shrinking the file, and keeping the
//! write-ahead log short.

use super::copier::Copier;
use super::queue::{Counters, Inbox};
use crate::error::Result;
use crate::limits::{
    BUSY_WAIT, CHECKPOINT_PAGES, PURGE_BYTES, PURGE_ROWS, RESTART_PAGES, RESTART_WAIT, UNUSED_PAGES,
    VACUUM_PAGES,
};
use crate::queries::damaged;
use crate::schema::{MAX_ID, place, record_sum, select_doomed, standing};
use crate::statements::Statements as _;
use rusqlite::Connection;
use rusqlite::wal::CheckpointMode;
use std::collections::BTreeSet;

/// The work that is left.
pub(super) struct Chores {
    /// Copies the write-ahead log; absent in memory, where there is none.
    copier: Option<Copier>,
    removal: Removal,
    /// Numbers of those that cannot be removed, as something of them is damaged; the others must not wait for them.
    stuck: BTreeSet<i64>,
    space: Space,
    /// About how many pages were written since somebody looked at the log.
    written: i64,
}

/// The removal of deleted sessions.
enum Removal {
    Done,
    /// There may be sessions to remove.
    Due,
    /// A removal failed because the disk is full. The next commit makes it due again.
    Postponed,
}

/// The space of removed rows.
enum Space {
    Settled,
    /// There may be pages to give back.
    Unused,
    /// Pages were given back, and there may be more.
    Shrinking,
    /// Pages were given back, which the file keeps until the log is copied.
    Shrunk,
}

impl Chores {
    pub(super) fn new(copier: Option<Copier>) -> Self {
        let space = if copier.is_some() { Space::Unused } else { Space::Settled };
        Self { copier, removal: Removal::Due, stuck: BTreeSet::new(), space, written: 0 }
    }

    /// Notes that a transaction was committed.
    pub(super) fn note_commit(&mut self) {
        if let Removal::Postponed = self.removal {
            self.removal = Removal::Due;
        }
    }

    /// Notes that sessions were deleted.
    pub(super) fn note_deletion(&mut self) {
        self.removal = Removal::Due;
    }

    /// Takes up imports that nobody will finish.
    pub(super) fn doom_abandoned(&mut self, connection: &Connection, inbox: &Inbox) {
        for number in inbox.abandoned() {
            let sql = "UPDATE sessions SET standing = ?2, checksum = ?3 WHERE number = ?1 AND standing = ?4";
            let row = (number, standing::DOOMED, record_sum(number, None, &[]), standing::STAGED);
            if let Err(error) = connection.execute(sql, row) {
                // They are taken up when the store is opened next.
                tracing::warn!(%error, "an import that was given up stays on the disk for now");
            }
            self.note_deletion();
        }
    }

    /// Does a little of what is left; says whether there may be more.
    pub(super) fn step(&mut self, connection: &Connection, counters: &Counters) -> bool {
        if let Removal::Due = self.removal {
            if let Err(error) = self.remove_some(connection) {
                // Tried again then, or with the next deletion, or when the store is opened next.
                self.removal = if error.concerns_all() { Removal::Postponed } else { Removal::Done };
                tracing::warn!(%error, "deleted sessions stay on the disk for now");
            }
            self.after_commit(connection, counters, PURGE_BYTES as usize, 1);
            return true;
        }
        if let Space::Unused | Space::Shrinking = self.space {
            let has_shrunk = shrink(connection).unwrap_or_else(|error| {
                tracing::warn!(%error, "the session store keeps its size for now");
                false
            });
            self.space = match self.space {
                _ if has_shrunk => Space::Shrinking,
                Space::Shrinking => Space::Shrunk,
                _ => Space::Settled,
            };
            self.after_commit(connection, counters, 0, VACUUM_PAGES as usize);
            return true;
        }
        if let (Space::Shrunk, Some(copier)) = (&self.space, &self.copier) {
            copier.ask();
        }
        self.space = Space::Settled;
        false
    }

    /// Removes something of a deleted session.
    fn remove_some(&mut self, connection: &Connection) -> Result<()> {
        let Some(session) = next_doomed(connection, &self.stuck)? else {
            self.removal = Removal::Done;
            self.space = match self.space {
                _ if self.copier.is_none() => Space::Settled,
                Space::Shrunk | Space::Shrinking => Space::Shrinking,
                Space::Unused | Space::Settled => Space::Unused,
            };
            return Ok(());
        };
        match purge(connection, session) {
            Err(error) if !error.concerns_all() => {
                self.stuck.insert(session);
                tracing::error!(session, %error, "a deleted session stays on the disk");
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Keeps the write-ahead log short. After the answers, as nobody waits for it.
    pub(super) fn after_commit(
        &mut self,
        connection: &Connection,
        counters: &Counters,
        bytes: usize,
        changes: usize,
    ) {
        self.written += i64::try_from(bytes / 4096 + 2 * changes).unwrap_or(i64::MAX / 2);
        let Some(copier) = self.copier.as_ref().filter(|_| self.written >= CHECKPOINT_PAGES / 8) else {
            return;
        };
        self.written = 0;
        match shorten(connection, copier) {
            Ok(done) => counters.lock().checkpoints += u64::from(done),
            // The log stays and grows; the next commits say so if there is no room for that.
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be copied"),
        }
    }
}

/// Has the log copied if there is enough in it. While commits come without a pause it is never copied as a whole, and
/// so never starts over; then the writer restarts it and returns true. Readers do not delay it for long: while it
/// waits, new ones read the database itself.
fn shorten(connection: &Connection, copier: &Copier) -> rusqlite::Result<bool> {
    let (length, copied) = connection.wal_checkpoint_v2(Some("main"), CheckpointMode::NOOP)?;
    let (length, copied) = (i64::from(length), i64::from(copied));
    if length >= RESTART_PAGES {
        return waiting(connection, CheckpointMode::RESTART).map(|()| true);
    }
    if length - copied >= CHECKPOINT_PAGES {
        copier.ask();
    }
    Ok(false)
}

/// Copies the log, waiting a little for readers if the mode says so.
fn waiting(connection: &Connection, mode: CheckpointMode) -> rusqlite::Result<()> {
    connection.busy_timeout(RESTART_WAIT)?;
    let copied = connection.wal_checkpoint_v2(Some("main"), mode);
    connection.busy_timeout(BUSY_WAIT)?;
    match copied {
        // Some reader is still there. The next commits try again.
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => Ok(()),
        other => other.map(drop),
    }
}

/// Restarts the log after a commit has failed because the disk is full. Its room can then be used, for example for
/// deleting.
pub(super) fn make_room(connection: &Connection) {
    if let Err(error) = waiting(connection, CheckpointMode::RESTART) {
        tracing::debug!(%error, "the write-ahead log could not be copied");
    }
}

/// Leaves nothing in the log, so that the next opening sees a clean end.
pub(super) fn finish(connection: &Connection) {
    if let Err(error) = connection.wal_checkpoint_v2(Some("main"), CheckpointMode::TRUNCATE) {
        tracing::warn!(%error, "the write-ahead log of the session store stays; it is read when it is opened next");
    }
}

/// Returns a session that was deleted and is not stuck.
fn next_doomed(connection: &Connection, stuck: &BTreeSet<i64>) -> Result<Option<i64>> {
    let mut select = connection.prepare_cached(&select_doomed())?;
    let mut numbers = select.query_map([], |row| row.get(0))?;
    Ok(numbers.find(|number| !number.as_ref().is_ok_and(|number| stuck.contains(number))).transpose()?)
}

/// Removes some rows of a session that was deleted, the last time its own.
fn purge(connection: &Connection, session: i64) -> Result<()> {
    let transaction = connection.unchecked_transaction()?;
    // The index says so. Nothing is removed unless the row does, too.
    let sql = "SELECT standing = ?2 AND id IS NULL FROM sessions NOT INDEXED WHERE number = ?1";
    let sure = transaction.first(sql, [session, standing::DOOMED], |row| Ok(row.get(0)?))?;
    if sure != Some(true) {
        return Err(damaged(format!("session number {session} is listed as deleted and is not")));
    }
    let (from, to) = (place(session, 0), place(session, MAX_ID));
    match end_of_part(&transaction, from, to)? {
        Some(end) => {
            transaction.change("DELETE FROM events WHERE place BETWEEN ?1 AND ?2", [from, end])?;
        }
        None => {
            for table in ["messages", "transcript"] {
                let sql = format!("DELETE FROM {table} WHERE place BETWEEN ?1 AND ?2");
                transaction.change(&sql, [from, to])?;
            }
            for table in ["heads", "webhooks", "keys"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [session])?;
            }
            if transaction.execute("DELETE FROM sessions WHERE number = ?1", [session])? != 1 {
                return Err(damaged(format!("deleted session number {session}")));
            }
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Returns the place of the last event that goes at once; none if there are no events.
fn end_of_part(connection: &Connection, from: i64, to: i64) -> Result<Option<i64>> {
    let sql = "SELECT place, length(data) FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT ?3";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([from, to, PURGE_ROWS])?;
    let (mut end, mut bytes) = (None, 0);
    while bytes < PURGE_BYTES
        && let Some(row) = rows.next()?
    {
        end = Some(row.get(0)?);
        bytes += row.get::<_, i64>(1)?.cast_unsigned();
    }
    Ok(end)
}

/// Gives some unused pages back to the file system, if they are many and a good part of the file; says whether it did.
fn shrink(connection: &Connection) -> Result<bool> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (unused, pages) = (number("freelist_count")?, number("page_count")?);
    if unused < UNUSED_PAGES || unused < pages / 4 {
        return Ok(false);
    }
    // It takes one step for each page.
    let mut vacuum = connection.prepare_cached(&format!("PRAGMA incremental_vacuum({VACUUM_PAGES})"))?;
    let mut steps = vacuum.query([])?;
    while steps.next()?.is_some() {}
    Ok(true)
}
