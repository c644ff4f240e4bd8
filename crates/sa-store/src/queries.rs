//! Reads of the store. Each function runs on any connection and checks what it finds.

use crate::checksum::Checksum;
use crate::error::{Result, StoreError};
use crate::schema::{MAX_ID, place, record_sum, standing, webhook_sum};
use crate::statements::Statements as _;
use crate::types::{EventSlice, Head, MessageState, StoredMessage, StoredSession, WebhookCursor};
use crate::{keys, listings, messages, runs};
use rusqlite::{Connection, OptionalExtension as _, Row};

const HEAD: &str =
    "h.session, h.oldest, h.last, h.bytes, h.created_at_ms, h.updated_at_ms, h.ended_at_ms, h.checksum";

impl Head {
    /// Returns the checksum of its row.
    pub(crate) fn sum(&self) -> i64 {
        let sum = Checksum::default().number(self.session);
        let numbers = [self.oldest, self.last, self.bytes, self.created_at_ms, self.updated_at_ms];
        let sum = numbers.into_iter().fold(sum, |sum, number| sum.number(number.cast_signed()));
        let ended = self.ended_at_ms.map(u64::to_le_bytes);
        sum.optional(ended.as_ref().map(<[u8; 8]>::as_slice)).sum()
    }

    /// Reads one from the columns of [`HEAD`].
    fn read(row: &Row<'_>) -> Result<Self> {
        let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let head = Self {
            session: row.get(0)?,
            oldest: number(1)?,
            last: number(2)?,
            bytes: number(3)?,
            created_at_ms: number(4)?,
            updated_at_ms: number(5)?,
            ended_at_ms: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
        };
        let whole = row.get::<_, i64>(7)? == head.sum();
        // Even a sum that fits by chance must not lead to arithmetic that does not.
        if !whole || head.oldest == 0 || head.oldest > head.last + 1 || head.last > MAX_ID {
            return Err(damaged(format!("the head of session number {}", head.session)));
        }
        Ok(head)
    }

    /// Returns the one of a session that is there.
    pub(crate) fn of(connection: &Connection, id: &str) -> Result<Self> {
        let sql = format!(
            "SELECT {HEAD} FROM sessions s JOIN heads h ON h.session = s.number WHERE s.id = ?1 AND s.standing = {}",
            standing::LIVE
        );
        connection.first(&sql, [id], Self::read)?.ok_or_else(|| StoreError::UnknownSession(id.to_owned()))
    }

    pub(crate) fn numbered(connection: &Connection, session: i64) -> Result<Option<Self>> {
        connection.first(&format!("SELECT {HEAD} FROM heads h WHERE h.session = ?1"), [session], Self::read)
    }
}

/// Returns all sessions, in the order in which they were made.
pub(crate) fn sessions(connection: &mut Connection) -> Result<Vec<StoredSession>> {
    let snapshot = connection.transaction()?;
    let (staged, doomed) = (standing::STAGED, standing::DOOMED);
    let sql =
        format!("SELECT {SESSION} FROM sessions WHERE standing NOT IN ({staged}, {doomed}) ORDER BY number");
    snapshot.all(&sql, [], |row| read_session(&snapshot, row))
}

pub(crate) fn session(connection: &mut Connection, id: &str) -> Result<Option<StoredSession>> {
    let snapshot = connection.transaction()?;
    let sql = format!("SELECT {SESSION} FROM sessions WHERE id = ?1 AND standing <> {}", standing::DOOMED);
    snapshot.first(&sql, [id], |row| read_session(&snapshot, row))
}

pub(crate) fn has_session(connection: &Connection, id: &str) -> Result<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?.exists([id])?)
}

pub(crate) fn session_numbered(connection: &Connection, number: i64) -> Result<Option<StoredSession>> {
    let sql = format!("SELECT {SESSION} FROM sessions WHERE number = ?1");
    connection.first(&sql, [number], |row| read_session(connection, row))
}

/// The columns that [`read_session`] takes.
const SESSION: &str = "number, id, standing, record, checksum";

fn read_session(connection: &Connection, row: &Row<'_>) -> Result<StoredSession> {
    let number: i64 = row.get(0)?;
    let id: Option<String> = row.get(1)?;
    let record: Vec<u8> = row.get(3)?;
    let whole = row.get::<_, i64>(2)? == standing::LIVE
        && row.get::<_, i64>(4)? == record_sum(number, id.as_deref(), &record);
    let (Some(id), true) = (id, whole) else {
        return Err(damaged(format!("the record of session number {number}")));
    };
    // By its id, as every change finds it: so a damaged index is reported, too.
    let head = match Head::of(connection, &id) {
        Ok(head) if head.session == number => head,
        Ok(_) | Err(StoreError::UnknownSession(_)) => {
            return Err(damaged(format!("session {id} is listed and cannot be found")));
        }
        Err(other) => return Err(other),
    };
    check_ends(connection, &head)?;
    let listing = listings::of(connection, number)?;
    if listing.id != id || listing.ended != head.ended_at_ms.is_some() {
        return Err(damaged(format!("the listing of session {id}")));
    }
    Ok(StoredSession {
        webhook: webhook(connection, number)?,
        listing: listing.listing,
        id,
        record: record.into(),
        head,
    })
}

/// Returns whether the first and the last of a session's events are those that its head names.
fn check_ends(connection: &Connection, head: &Head) -> Result<()> {
    let (from, to) = (place(head.session, 0), place(head.session, MAX_ID));
    let end = |sql| -> Result<Option<(u64, u64)>> {
        let read = |row: &Row<'_>| Ok(runs::extent(row.get(0)?, row.get(1)?));
        Ok(connection.prepare_cached(sql)?.query_row([from, to], read).optional()?)
    };
    let first = end("SELECT place, packed FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT 1")?;
    let last =
        end("SELECT place, packed FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1")?;
    let is_whole = match (first, last) {
        (None, None) => head.oldest > head.last,
        // The first run may begin with events that are no longer kept.
        (Some((first, length)), Some((last, count))) => {
            (first..first + length).contains(&head.oldest) && last + count == head.last + 1
        }
        _ => false,
    };
    if is_whole {
        Ok(())
    } else {
        Err(damaged(format!("the first or last events of session number {}", head.session)))
    }
}

fn webhook(connection: &Connection, session: i64) -> Result<Option<WebhookCursor>> {
    let sql = "SELECT delivered, state, checksum FROM webhooks WHERE session = ?1";
    connection.first(sql, [session], |row| {
        let (delivered, state): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        if row.get::<_, i64>(2)? != webhook_sum(session, delivered, &state) {
            return Err(damaged(format!("the webhook of session number {session}")));
        }
        Ok(WebhookCursor { delivered: delivered.cast_unsigned(), state: state.into() })
    })
}

/// Returns a run of a session's events after one of them: at most so many, and no more bytes than given but for one
/// event.
pub(crate) fn events(
    connection: &mut Connection,
    id: &str,
    after: u64,
    limit: usize,
    max_bytes: usize,
) -> Result<EventSlice> {
    let snapshot = connection.transaction()?;
    let head = Head::of(&snapshot, id)?;
    let mut slice = EventSlice { events: Vec::new(), oldest: head.oldest, last: head.last };
    let mut next = after.saturating_add(1).max(head.oldest);
    let mut room = max_bytes;
    if next > head.last || limit == 0 {
        return Ok(slice);
    }
    let mut statement = snapshot.prepare_cached(&format!(
        "SELECT {} FROM events WHERE place BETWEEN
             coalesce((SELECT max(place) FROM events WHERE place BETWEEN ?1 AND ?2), ?2) AND ?3
         ORDER BY place",
        runs::COLUMNS
    ))?;
    let mut rows = statement.query([
        place(head.session, 0),
        place(head.session, next),
        place(head.session, head.last),
    ])?;
    while slice.events.len() < limit && next <= head.last {
        let Some(row) = rows.next()? else {
            return Err(damaged(format!("event {next} of session {id} is missing")));
        };
        let run = runs::read(row).map_err(|_| damaged(format!("event {next} of session {id}")))?;
        let Some(wanted) = run.iter().position(|event| event.id == next) else {
            return Err(damaged(format!("event {next} of session {id}")));
        };
        for event in run.into_iter().skip(wanted).take(limit - slice.events.len()) {
            if (event.data.len() > room && !slice.events.is_empty()) || event.id > head.last {
                return Ok(slice);
            }
            room = room.saturating_sub(event.data.len());
            next = event.id + 1;
            slice.events.push(event);
        }
    }
    Ok(slice)
}

/// Returns a message by its client's key.
pub(crate) fn message_by_key(
    connection: &mut Connection,
    id: &str,
    key: &str,
) -> Result<Option<StoredMessage>> {
    let snapshot = connection.transaction()?;
    let session = Head::of(&snapshot, id)?.session;
    let labels = messages::labels(&snapshot, session)?;
    match labels.into_iter().find(|label| label.key.as_deref() == Some(key)) {
        Some(label) => messages::whole(&snapshot, label).map(Some),
        None => keys::find(&snapshot, session, key),
    }
}

/// Returns the messages that are not done, in the order in which they were accepted.
pub(crate) fn pending_messages(connection: &mut Connection, id: &str) -> Result<Vec<StoredMessage>> {
    let snapshot = connection.transaction()?;
    let session = Head::of(&snapshot, id)?.session;
    let labels = messages::labels(&snapshot, session)?.into_iter();
    labels
        .filter(|label| label.state != MessageState::Done)
        .map(|label| messages::whole(&snapshot, label))
        .collect()
}

/// Returns the error for a damaged part.
pub(crate) fn damaged(what: impl Into<String>) -> StoreError {
    StoreError::Corrupt(what.into())
}

pub(crate) fn of_session(error: StoreError, id: &str) -> StoreError {
    match error {
        StoreError::Corrupt(what) => StoreError::Corrupt(format!("{what} of session {id}")),
        other => other,
    }
}
