//! What goes when there is too much: the oldest events of a session, and the sessions that ended first.

use super::Desk;
use super::change::doom;
use crate::error::StoreError;
use crate::limits::TRIM_PART;
use crate::queries::{Head, damaged};
use crate::schema::{id_at, place, select_doomed, standing};

/// Removes a session's oldest events if it has too many, a part of the limit at once. The newest stays.
pub(super) fn trim(desk: &Desk<'_>, head: &mut Head) -> Result<(), StoreError> {
    let (most_events, most_bytes) = (desk.retention.events_per_session, desk.retention.bytes_per_session);
    let kept = head.last + 1 - head.oldest;
    if kept <= 1 || (kept <= most_events && head.bytes <= most_bytes) {
        return Ok(());
    }
    let target = |limit: u64| limit - limit / TRIM_PART;
    let (events, bytes) = (target(most_events), target(most_bytes));
    let enough = |head: &Head| head.last + 1 - head.oldest <= events && head.bytes <= bytes;
    let from = place(head.session, head.oldest);
    let newest = place(head.session, head.last);
    {
        let sql = "SELECT place, length(data) FROM events WHERE place >= ?1 AND place < ?2 ORDER BY place";
        let mut select = desk.connection.prepare_cached(sql)?;
        let mut rows = select.query([from, newest])?;
        while head.oldest < head.last && !enough(head) {
            let row = rows.next()?.ok_or_else(|| damaged(format!("event {} is missing", head.oldest)))?;
            if id_at(row.get(0)?) != head.oldest {
                return Err(damaged(format!("event {} is missing", head.oldest)));
            }
            head.oldest += 1;
            head.bytes = head.bytes.saturating_sub(row.get::<_, i64>(1)?.cast_unsigned());
        }
    }
    let sql = "DELETE FROM events WHERE place >= ?1 AND place < ?2";
    desk.connection.prepare_cached(sql)?.execute([from, place(head.session, head.oldest)])?;
    Ok(())
}

/// Forgets sessions that ended long ago, and those that ended first while everything together is too large. Gives
/// their ids. One that is damaged stays, and is in nobody's way.
pub(crate) fn sweep(desk: &Desk<'_>) -> Result<Vec<String>, StoreError> {
    let mut used = used_bytes(desk)?;
    let until = desk.retention.ended_sessions_ms.map(|kept| desk.now_ms.saturating_sub(kept));
    let mut forgotten = Vec::new();
    {
        let mut select = desk.connection.prepare_cached(
            "SELECT session, ended_at_ms FROM heads WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms, session",
        )?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (number, ended): (i64, i64) = (row.get(0)?, row.get(1)?);
            let found = ended_session(desk, number, ended.cast_unsigned());
            let Some((id, bytes)) = desk.unless_damaged(number, found)? else { continue };
            let old = until.is_some_and(|until| ended.cast_unsigned() <= until);
            if !old && used <= desk.retention.total_bytes {
                break;
            }
            used = used.saturating_sub(bytes);
            forgotten.push((number, id));
        }
    }
    for (number, _) in &forgotten {
        doom(desk, *number)?;
    }
    Ok(forgotten.into_iter().map(|(_, id)| id).collect())
}

/// The id and the bytes of a session that an index lists as ended; none if it is on its way out. Nothing is removed unless its
/// own rows say the same.
fn ended_session(desk: &Desk<'_>, number: i64, ended: u64) -> Result<Option<(String, u64)>, StoreError> {
    let mut select = desk.connection.prepare_cached("SELECT id, standing FROM sessions WHERE number = ?1")?;
    let mut rows = select.query([number])?;
    let Some(row) = rows.next()? else {
        return Err(damaged(format!("session number {number} is listed as ended and is missing")));
    };
    if row.get::<_, i64>(1)? == standing::DOOMED {
        return Ok(None);
    }
    let id: String = row.get(0)?;
    match Head::of(desk.connection, &id) {
        Ok(head) if head.session == number && head.ended_at_ms == Some(ended) => Ok(Some((id, head.bytes))),
        Ok(_) | Err(StoreError::UnknownSession(_)) => {
            Err(damaged(format!("session {id} is listed as ended and is not")))
        }
        Err(other) => Err(other),
    }
}

/// Bytes of the database that are used, without those of sessions that are on their way out.
fn used_bytes(desk: &Desk<'_>) -> Result<u64, StoreError> {
    let number = |name| desk.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    let mut used = pages.max(0).cast_unsigned() * number("page_size")?.max(0).cast_unsigned();
    let mut select = desk.connection.prepare_cached(&select_doomed())?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let head = desk.unless_damaged(number, Head::numbered(desk.connection, number))?;
        used = used.saturating_sub(head.map_or(0, |head| head.bytes));
    }
    Ok(used)
}
