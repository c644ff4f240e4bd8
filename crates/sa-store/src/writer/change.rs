//! The changes that can be made, each within a transaction.

use super::Transaction;
use super::append::{append, begin, save};
use super::messages;
use crate::error::{Result, StoreError};
use crate::listings::{self, Listed};
use crate::queries::{damaged, has_session};
use crate::schema::{MAX_ID, MAX_SESSION, record_sum, standing, webhook_sum};
use crate::statements::Statements as _;
use crate::types::{Change, Committed, Head, Listing, NewEvent};
use crate::usage;

/// Makes a session; says whether there was none.
pub(crate) fn create(
    transaction: &Transaction<'_>,
    session: &str,
    record: &[u8],
    listing: &Listing,
) -> Result<bool> {
    if has_session(transaction.connection, session)? {
        return Ok(false);
    }
    let number = insert(transaction, Some(session), standing::LIVE, record)?;
    let (id, listing) = (session.to_owned(), listing.clone());
    Listed { session: number, id, listing, ended: false }.save(transaction.connection)?;
    transaction.count(1, 0);
    Ok(true)
}

/// Changes a session.
pub(crate) fn commit(transaction: &Transaction<'_>, session: &str, change: &Change) -> Result<Committed> {
    let mut head = Head::of(transaction.connection, session)?;
    if let Some(record) = &change.record {
        let sum = record_sum(head.session, Some(session), record);
        let sql = "UPDATE sessions SET record = ?2, checksum = ?3 WHERE number = ?1";
        transaction.change(sql, (head.session, record.as_ref(), sum))?;
    }
    append(transaction, &mut head, &change.events)?;
    for message in &change.messages {
        messages::change(transaction, head.session, message)?;
    }
    for note in &change.usage {
        usage::add(transaction, session, note)?;
    }
    let had_ended = head.ended_at_ms.is_some();
    if let Some(ended) = change.ended {
        head.ended_at_ms = ended.then(|| head.ended_at_ms.unwrap_or(transaction.now_ms));
    }
    let ended = head.ended_at_ms.is_some();
    if change.listing.is_some() || ended != had_ended {
        let mut listed = listings::of(transaction.connection, head.session)?;
        listed.listing = change.listing.clone().unwrap_or(listed.listing);
        listed.ended = ended;
        listed.save(transaction.connection)?;
        if ended && !had_ended {
            transaction.packer.borrow_mut().merge(transaction.connection, head.session, head.last)?;
        }
        transaction.count(0, i64::from(ended) - i64::from(had_ended));
    }
    save(transaction, &mut head)?;
    Ok(Committed { oldest: head.oldest, last: head.last })
}

/// Forgets a session; says whether there was one. Its rows go later, bit by bit.
pub(crate) fn delete(transaction: &Transaction<'_>, session: &str) -> Result<bool> {
    match Head::of(transaction.connection, session) {
        Ok(head) => doom(transaction, &head).map(|()| true),
        Err(StoreError::UnknownSession(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Notes how far a session's webhook is.
pub(crate) fn set_webhook(
    transaction: &Transaction<'_>,
    session: &str,
    delivered: u64,
    state: &[u8],
) -> Result<()> {
    let head = Head::of(transaction.connection, session)?;
    let delivered = delivered.cast_signed();
    let sum = webhook_sum(head.session, delivered, state);
    let sql = "INSERT OR REPLACE INTO webhooks (session, delivered, state, checksum) VALUES (?1, ?2, ?3, ?4)";
    transaction.change(sql, (head.session, delivered, state, sum))
}

/// Notes that nothing is under way in a session.
pub(crate) fn set_inactive(transaction: &Transaction<'_>, session: &str) -> Result<()> {
    let mut listed =
        listings::of(transaction.connection, Head::of(transaction.connection, session)?.session)?;
    listed.listing.active = false;
    listed.save(transaction.connection)
}

/// Begins an import (without a number), or continues one: appends events that keep their ids. Returns its number.
pub(crate) fn stage(transaction: &Transaction<'_>, number: Option<i64>, events: &[NewEvent]) -> Result<i64> {
    let number = match number {
        Some(number) => number,
        None => insert(transaction, None, standing::STAGED, &[])?,
    };
    let Some(mut head) = Head::numbered(transaction.connection, number)? else {
        return Err(damaged(format!("import {number} is missing")));
    };
    // The first events of a long session may be gone where it comes from.
    if let (0, Some(first)) = (head.last, events.first())
        && (1..=MAX_ID).contains(&first.id)
    {
        (head.oldest, head.last) = (first.id, first.id - 1);
    }
    append(transaction, &mut head, events)?;
    save(transaction, &mut head)?;
    Ok(number)
}

/// Finishes an import: the session exists from now on. Returns whether the name was free; if not, the import stays as
/// it is, to be abandoned by its caller.
pub(crate) fn publish(transaction: &Transaction<'_>, listed: &Listed, record: &[u8]) -> Result<bool> {
    let (number, session, ended) = (listed.session, &listed.id, listed.ended);
    if has_session(transaction.connection, session)? {
        return Ok(false);
    }
    listed.save(transaction.connection)?;
    transaction.count(1, i64::from(ended));
    let sql = "UPDATE sessions SET id = ?2, standing = ?3, record = ?4, checksum = ?5 WHERE number = ?1";
    let sum = record_sum(number, Some(session), record);
    transaction.change(sql, (number, session, standing::LIVE, record, sum))?;
    if let Some(mut head) = Head::numbered(transaction.connection, number)? {
        head.ended_at_ms = ended.then_some(transaction.now_ms);
        save(transaction, &mut head)?;
    }
    Ok(true)
}

/// Takes a session out of sight.
pub(super) fn doom(transaction: &Transaction<'_>, head: &Head) -> Result<()> {
    let number = head.session;
    listings::remove(transaction.connection, number)?;
    transaction.count(-1, -i64::from(head.ended_at_ms.is_some()));
    let sql = "UPDATE sessions SET id = NULL, standing = ?2, record = x'', checksum = ?3 WHERE number = ?1";
    transaction.change(sql, (number, standing::DOOMED, record_sum(number, None, &[])))?;
    transaction.doomed.set(true);
    Ok(())
}

fn insert(transaction: &Transaction<'_>, id: Option<&str>, stands: i64, record: &[u8]) -> Result<i64> {
    // The number is part of the checksum, so it is chosen here and not by the table.
    let highest = "SELECT coalesce(max(number), 0) FROM sessions";
    let highest = transaction.first(highest, [], |row| Ok(row.get(0)?))?;
    let number = highest.unwrap_or(0_i64) + 1;
    if number > MAX_SESSION {
        return Err(StoreError::Io(format!("it has had {MAX_SESSION} sessions")));
    }
    let sql = "INSERT INTO sessions (number, id, standing, record, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
    let sum = record_sum(number, id, record);
    transaction.change(sql, (number, id, stands, record, sum))?;
    begin(transaction, number)?;
    Ok(number)
}
