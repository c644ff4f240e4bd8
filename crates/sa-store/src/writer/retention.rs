//! Removal of what is too much: the oldest events of a session, the sessions that ended first, and then the oldest events of
//! the sessions that were idle longest.

use super::Transaction;
use super::append::rewrite;
use super::change::doom;
use crate::error::{Result, StoreError};
use crate::limits::{SWEEP_BYTES, SWEEP_EVENTS, TRIM_PART};
use crate::queries::damaged;
use crate::schema::{place, select_doomed, standing};
use crate::statements::Statements as _;
use crate::types::{Head, Swept};
use crate::{runs, transcript};

/// Removes a session's oldest events if it has too many, a part of the limit at once. The newest stays.
pub(super) fn trim(transaction: &Transaction<'_>, head: &mut Head) -> Result<()> {
    let (most_events, most_bytes) =
        (transaction.retention.events_per_session, transaction.retention.bytes_per_session);
    let kept = head.last + 1 - head.oldest;
    if kept <= 1 || (kept <= most_events && head.bytes <= most_bytes) {
        return Ok(());
    }
    let (events, bytes) = (most_events - most_events / TRIM_PART, most_bytes - most_bytes / TRIM_PART);
    remove_oldest(transaction, head, |head| head.last + 1 - head.oldest <= events && head.bytes <= bytes)
}

/// Removes a session's oldest events until there are few enough. The newest stays.
fn remove_oldest(
    transaction: &Transaction<'_>,
    head: &mut Head,
    enough: impl Fn(&Head) -> bool,
) -> Result<()> {
    let from = place(head.session, 0);
    {
        let sql =
            format!("SELECT {} FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place", runs::COLUMNS);
        let mut select = transaction.connection.prepare_cached(&sql)?;
        let mut rows = select.query([from, place(head.session, head.last)])?;
        while head.oldest < head.last && !enough(head) {
            let missing = || damaged(format!("event {} is missing", head.oldest));
            let row = rows.next()?.ok_or_else(missing)?;
            let (first, count) = runs::extent(row.get(0)?, row.get(4)?);
            if !(first..first + count).contains(&head.oldest) {
                return Err(missing());
            }
            for size in sizes(row, head.oldest, first + count)? {
                if head.oldest >= head.last || enough(head) {
                    break;
                }
                head.oldest += 1;
                head.bytes = head.bytes.saturating_sub(size);
            }
        }
    }
    // A run goes when all its events do.
    let sql = "DELETE FROM events WHERE place >= ?1
                   AND place < (SELECT max(place) FROM events WHERE place BETWEEN ?1 AND ?2)";
    transaction.change(sql, [from, place(head.session, head.oldest)])?;
    transcript::trim(transaction.connection, head.session, head.oldest)
}

/// Returns the sizes of a run's events between those ids. A damaged run is no reason to keep it: its first event counts for all.
fn sizes(row: &rusqlite::Row<'_>, from: u64, to: u64) -> Result<Vec<u64>> {
    match runs::read(row) {
        Ok(run) => {
            Ok(run.iter().filter(|event| event.id >= from).map(|event| event.data.len() as u64).collect())
        }
        Err(StoreError::Corrupt(_)) => {
            let bytes = row.get_ref(3)?.as_blob().map_or(0, <[u8]>::len) as u64;
            Ok((from..to).map(|id| if id == from { bytes } else { 0 }).collect())
        }
        Err(other) => Err(other),
    }
}

/// Returns the ids of sessions that ended long ago, and of those that ended first while everything together is too large.
pub(crate) fn due(transaction: &Transaction<'_>) -> Result<Vec<String>> {
    Ok(due_sessions(transaction)?.0.into_iter().map(|(id, _)| id).collect())
}

/// Forgets those of the sessions that are due, and then trims others while there is too much. A damaged session stays, and is in
/// nobody's way.
pub(crate) fn sweep(transaction: &Transaction<'_>, forget: &[String]) -> Result<Swept> {
    let (due, mut used, room) = due_sessions(transaction)?;
    let mut swept = Swept::default();
    for (id, head) in due.into_iter().filter(|(id, _)| forget.contains(id)) {
        doom(transaction, &head)?;
        swept.forgotten.push(id);
    }
    if used <= transaction.retention.total_bytes {
        return Ok(swept);
    }
    let enough = transaction.retention.total_bytes - transaction.retention.total_bytes / TRIM_PART;
    let (mut bytes, mut events) = (SWEEP_BYTES, SWEEP_EVENTS);
    for (number, id) in idle_sessions(transaction)? {
        if bytes == 0 || events == 0 || used <= enough {
            swept.has_more = used > enough;
            break;
        }
        let trimmed = trim_idle(transaction, &id, bytes.min(room.bytes_in(used - enough)), events);
        let Some((before, head)) = transaction.unless_damaged(number, trimmed)? else { continue };
        bytes = bytes.saturating_sub(before.bytes - head.bytes);
        events = events.saturating_sub(head.oldest - before.oldest);
        used = used.saturating_sub(room.of(before.bytes - head.bytes));
        swept.trimmed.push((id, head.oldest));
    }
    // How much room events have is an estimate, so it is looked at again.
    let (still, _) = used_room(transaction)?;
    swept.has_more |= !swept.trimmed.is_empty() && still > transaction.retention.total_bytes;
    Ok(swept)
}

/// Removes up to so many of a session's oldest bytes and events. Returns its head before and after; none if nothing can go.
fn trim_idle(
    transaction: &Transaction<'_>,
    id: &str,
    bytes: u64,
    events: u64,
) -> Result<Option<(Head, Head)>> {
    let before = match Head::of(transaction.connection, id) {
        Ok(head) if head.oldest < head.last => head,
        Ok(_) | Err(StoreError::UnknownSession(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let mut head = before.clone();
    remove_oldest(transaction, &mut head, |head| {
        before.bytes - head.bytes >= bytes || head.oldest - before.oldest >= events
    })?;
    rewrite(transaction, &head)?;
    Ok(Some((before, head)))
}

/// Returns the numbers and ids of sessions that have not ended, the one that was idle longest first.
fn idle_sessions(transaction: &Transaction<'_>) -> Result<Vec<(i64, String)>> {
    let sql = format!(
        "SELECT s.number, s.id FROM heads h JOIN sessions s ON s.number = h.session
         WHERE h.ended_at_ms IS NULL AND h.oldest < h.last AND s.standing = {} ORDER BY h.updated_at_ms, h.session",
        standing::LIVE
    );
    transaction.all(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The id and the head of a session that need not be kept any longer.
type Due = (String, Head);

/// Returns the sessions that are due, and the bytes that are used without them.
fn due_sessions(transaction: &Transaction<'_>) -> Result<(Vec<Due>, u64, Room)> {
    let (mut used, room) = used_room(transaction)?;
    let until = transaction.retention.ended_sessions_ms.map(|kept| transaction.now_ms.saturating_sub(kept));
    let mut due = Vec::new();
    let mut select = transaction.connection.prepare_cached(
        "SELECT session, ended_at_ms FROM heads WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms, session",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (number, ended): (i64, i64) = (row.get(0)?, row.get(1)?);
        let found = ended_session(transaction, number, ended.cast_unsigned());
        let Some((id, head)) = transaction.unless_damaged(number, found)? else { continue };
        let old = until.is_some_and(|until| ended.cast_unsigned() <= until);
        if !old && used <= transaction.retention.total_bytes {
            break;
        }
        used = used.saturating_sub(room.of(head.bytes));
        due.push((id, head));
    }
    Ok((due, used, room))
}

/// Returns the id and the head of a session that an index lists as ended; none if it is on its way out. Nothing is
/// removed unless its own rows say the same.
fn ended_session(transaction: &Transaction<'_>, number: i64, ended: u64) -> Result<Option<Due>> {
    let sql = "SELECT standing = ?2, id FROM sessions WHERE number = ?1";
    let found = transaction.first(sql, [number, standing::DOOMED], |row| {
        let is_doomed: bool = row.get(0)?;
        if is_doomed { Ok(None) } else { Ok(Some(row.get(1)?)) }
    })?;
    let missing = || damaged(format!("session number {number} is listed as ended and is missing"));
    let Some(id): Option<String> = found.ok_or_else(missing)? else { return Ok(None) };
    match Head::of(transaction.connection, &id) {
        Ok(head) if head.session == number && head.ended_at_ms == Some(ended) => Ok(Some((id, head))),
        Ok(_) | Err(StoreError::UnknownSession(_)) => {
            Err(damaged(format!("session {id} is listed as ended and is not")))
        }
        Err(other) => Err(other),
    }
}

/// The room that events have on the disk, where they are packed: by all of them together, as that of one session is not known.
#[derive(Debug, Clone, Copy)]
struct Room {
    used: u64,
    bytes: u64,
}

impl Room {
    /// Returns the room of so many bytes of events; never more than they are.
    fn of(self, bytes: u64) -> u64 {
        let room = u128::from(bytes) * u128::from(self.used) / u128::from(self.bytes.max(1));
        u64::try_from(room).map_or(bytes, |room| room.min(bytes))
    }

    /// Returns the bytes of events that have so much room.
    fn bytes_in(self, room: u64) -> u64 {
        let bytes = u128::from(room) * u128::from(self.bytes) / u128::from(self.used.max(1));
        u64::try_from(bytes).map_or(u64::MAX, |bytes| bytes.max(room))
    }
}

/// Returns the number of bytes of the database that are used, without those of sessions that are on their way out.
fn used_room(transaction: &Transaction<'_>) -> Result<(u64, Room)> {
    let number = |name| transaction.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    let mut used = pages.max(0).cast_unsigned() * number("page_size")?.max(0).cast_unsigned();
    // A number that is damaged must not overflow the sum.
    let sum = "SELECT total(bytes) FROM heads";
    let bytes: f64 = transaction.connection.prepare_cached(sum)?.query_row([], |row| row.get(0))?;
    let room = Room { used, bytes: bytes as u64 };
    for number in transaction.all(&select_doomed(), [], |row| Ok(row.get(0)?))? {
        let head = transaction.unless_damaged(number, Head::numbered(transaction.connection, number))?;
        used = used.saturating_sub(head.map_or(0, |head| room.of(head.bytes)));
    }
    Ok((used, room))
}
