//! The changes that can be made, each within a transaction.

use super::Desk;
use super::append::{append, begin, save};
use super::messages;
use crate::error::StoreError;
use crate::queries::{Head, damaged};
use crate::schema::{MAX_ID, MAX_SESSION, record_sum, standing, webhook_sum};
use crate::types::{Change, Committed, NewEvent};

/// Makes a session; says whether there was none.
pub(crate) fn create(desk: &Desk<'_>, session: &str, record: &[u8]) -> Result<bool, StoreError> {
    if exists(desk, session)? {
        return Ok(false);
    }
    insert(desk, Some(session), standing::LIVE, record)?;
    Ok(true)
}

/// Changes a session.
pub(crate) fn commit(desk: &Desk<'_>, session: &str, change: &Change) -> Result<Committed, StoreError> {
    let mut head = Head::of(desk.connection, session)?;
    if let Some(record) = &change.record {
        let sum = record_sum(head.session, Some(session), record);
        let sql = "UPDATE sessions SET record = ?2, checksum = ?3 WHERE number = ?1";
        desk.connection.prepare_cached(sql)?.execute((head.session, record.as_ref(), sum))?;
    }
    append(desk, &mut head, &change.events)?;
    for message in &change.messages {
        messages::change(desk, head.session, message)?;
    }
    if let Some(ended) = change.ended {
        head.ended_at_ms = ended.then(|| head.ended_at_ms.unwrap_or(desk.now_ms));
    }
    save(desk, &mut head)?;
    Ok(Committed { oldest: head.oldest, last: head.last })
}

/// Forgets a session; says whether there was one. Its rows go later, bit by bit.
pub(crate) fn delete(desk: &Desk<'_>, session: &str) -> Result<bool, StoreError> {
    match Head::of(desk.connection, session) {
        Ok(head) => doom(desk, head.session).map(|()| true),
        Err(StoreError::UnknownSession(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Notes how far a session's webhook is.
pub(crate) fn set_webhook(
    desk: &Desk<'_>,
    session: &str,
    delivered: u64,
    state: &[u8],
) -> Result<(), StoreError> {
    let head = Head::of(desk.connection, session)?;
    let delivered = delivered.cast_signed();
    let sum = webhook_sum(head.session, delivered, state);
    let sql = "INSERT OR REPLACE INTO webhooks (session, delivered, state, checksum) VALUES (?1, ?2, ?3, ?4)";
    desk.connection.prepare_cached(sql)?.execute((head.session, delivered, state, sum))?;
    Ok(())
}

/// Begins an import (without a number), or goes on with one: appends events that keep their ids. Gives its number.
pub(crate) fn stage(desk: &Desk<'_>, number: Option<i64>, events: &[NewEvent]) -> Result<i64, StoreError> {
    let number = match number {
        Some(number) => number,
        None => insert(desk, None, standing::STAGED, &[])?,
    };
    let Some(mut head) = Head::numbered(desk.connection, number)? else {
        return Err(damaged(format!("import {number} is missing")));
    };
    // The first events of a long session may be gone where it comes from.
    if let (0, Some(first)) = (head.last, events.first())
        && (1..=MAX_ID).contains(&first.id)
    {
        (head.oldest, head.last) = (first.id, first.id - 1);
    }
    append(desk, &mut head, events)?;
    save(desk, &mut head)?;
    Ok(number)
}

/// Finishes an import: the session is there from now on. Says whether there was none of that name; if there was, the
/// import stays as it is, to be abandoned by whoever holds it.
pub(crate) fn publish(
    desk: &Desk<'_>,
    number: i64,
    session: &str,
    record: &[u8],
    ended: bool,
) -> Result<bool, StoreError> {
    if exists(desk, session)? {
        return Ok(false);
    }
    let sql = "UPDATE sessions SET id = ?2, standing = ?3, record = ?4, checksum = ?5 WHERE number = ?1";
    let sum = record_sum(number, Some(session), record);
    desk.connection.prepare_cached(sql)?.execute((number, session, standing::LIVE, record, sum))?;
    if let Some(mut head) = Head::numbered(desk.connection, number)? {
        head.ended_at_ms = ended.then_some(desk.now_ms);
        save(desk, &mut head)?;
    }
    Ok(true)
}

/// Takes a session out of sight.
pub(super) fn doom(desk: &Desk<'_>, number: i64) -> Result<(), StoreError> {
    let sql = "UPDATE sessions SET id = NULL, standing = ?2, record = x'', checksum = ?3 WHERE number = ?1";
    desk.connection.prepare_cached(sql)?.execute((
        number,
        standing::DOOMED,
        record_sum(number, None, &[]),
    ))?;
    desk.doomed.set(true);
    Ok(())
}

fn exists(desk: &Desk<'_>, session: &str) -> Result<bool, StoreError> {
    Ok(desk.connection.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?.exists([session])?)
}

fn insert(desk: &Desk<'_>, id: Option<&str>, stands: i64, record: &[u8]) -> Result<i64, StoreError> {
    // The number is part of the checksum, so it is chosen here and not by the table.
    let highest: Option<i64> = desk
        .connection
        .prepare_cached("SELECT max(number) FROM sessions")?
        .query_row([], |row| row.get(0))?;
    let number = highest.unwrap_or(0) + 1;
    if number > MAX_SESSION {
        return Err(StoreError::Io(format!("it has had {MAX_SESSION} sessions")));
    }
    let sql = "INSERT INTO sessions (number, id, standing, record, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
    let sum = record_sum(number, id, record);
    desk.connection.prepare_cached(sql)?.execute((number, id, stands, record, sum))?;
    begin(desk, number)?;
    Ok(number)
}
