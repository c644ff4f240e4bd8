//! Appending events, and a session's head with them.

use super::Transaction;
use super::retention::trim;
use crate::error::{Result, StoreError};
use crate::limits::MERGED_EVENTS;
use crate::schema::MAX_ID;
use crate::statements::Statements as _;
use crate::transcript;
use crate::types::{Head, NewEvent, StoredEvent};
use rusqlite::Params;

/// Appends events, trims what is too much, and keeps the head in memory in step. The caller saves it.
pub(super) fn append(transaction: &Transaction<'_>, head: &mut Head, events: &[NewEvent]) -> Result<()> {
    let before = head.last;
    for event in events {
        let expected = head.last + 1;
        if event.id != expected || expected > MAX_ID {
            return Err(StoreError::Sequence { expected, found: event.id });
        }
        if let Some(mark) = &event.mark {
            transcript::apply(transaction.connection, head.session, event.id, mark)?;
        }
        head.last = event.id;
        head.bytes += event.data.len() as u64;
    }
    let stored =
        |event: &NewEvent| StoredEvent { id: event.id, at_ms: event.at_ms, data: event.data.clone() };
    let stored: Vec<StoredEvent> = events.iter().map(stored).collect();
    transaction.packer.borrow_mut().insert(transaction.connection, head.session, &stored)?;
    let batches = |last: u64| last / MERGED_EVENTS as u64;
    if batches(head.last) != batches(before) {
        transaction.packer.borrow_mut().merge(transaction.connection, head.session, head.last)?;
    }
    trim(transaction, head)
}

/// Writes a head of a session that has changed.
pub(super) fn save(transaction: &Transaction<'_>, head: &mut Head) -> Result<()> {
    head.updated_at_ms = transaction.now_ms;
    rewrite(transaction, head)
}

/// Writes a head; the session counts as idle for as long as before.
pub(super) fn rewrite(transaction: &Transaction<'_>, head: &Head) -> Result<()> {
    let sql = "UPDATE heads SET oldest = ?2, last = ?3, bytes = ?4, created_at_ms = ?5, updated_at_ms = ?6,
                   ended_at_ms = ?7, checksum = ?8
               WHERE session = ?1";
    transaction.change(sql, columns(head))
}

/// Writes a new head.
pub(super) fn begin(transaction: &Transaction<'_>, session: i64) -> Result<()> {
    let head = Head {
        session,
        oldest: 1,
        last: 0,
        bytes: 0,
        created_at_ms: transaction.now_ms,
        updated_at_ms: transaction.now_ms,
        ended_at_ms: None,
    };
    let sql = "INSERT INTO heads (session, oldest, last, bytes, created_at_ms, updated_at_ms, ended_at_ms, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    transaction.change(sql, columns(&head))
}

fn columns(head: &Head) -> impl Params {
    (
        head.session,
        head.oldest.cast_signed(),
        head.last.cast_signed(),
        head.bytes.cast_signed(),
        head.created_at_ms.cast_signed(),
        head.updated_at_ms.cast_signed(),
        head.ended_at_ms.map(u64::cast_signed),
        head.sum(),
    )
}
