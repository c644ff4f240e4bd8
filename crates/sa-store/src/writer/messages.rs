//! Messages: accepted once, gone on with, and remembered by their keys for a while.

use super::Desk;
use crate::error::StoreError;
use crate::limits::REMEMBERED_KEYS;
use crate::queries::{MESSAGE, message_sum, read_message, state_number};
use crate::schema::{MAX_ID, id_at, place};
use crate::types::{MessageChange, MessageState, StoredMessage};
use bytes::Bytes;
use rusqlite::OptionalExtension as _;

/// Makes one change of a session's messages.
pub(super) fn change(desk: &Desk<'_>, session: i64, change: &MessageChange) -> Result<(), StoreError> {
    match change {
        MessageChange::Accept(message) => accept(desk, session, message),
        MessageChange::State { turn_id, state: MessageState::Done } => finish(desk, session, turn_id),
        MessageChange::State { turn_id, state } => {
            let sql = "UPDATE messages SET state = ?3 WHERE session = ?1 AND turn_id = ?2";
            let changed =
                desk.connection.prepare_cached(sql)?.execute((session, turn_id, state_number(*state)))?;
            if changed == 1 { Ok(()) } else { Err(StoreError::UnknownTurn(turn_id.clone())) }
        }
    }
}

fn accept(desk: &Desk<'_>, session: i64, message: &StoredMessage) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM messages WHERE session = ?1 AND turn_id = ?2
               UNION ALL SELECT 1 FROM messages WHERE session = ?1 AND key = ?3";
    if desk.connection.prepare_cached(sql)?.exists((session, &message.turn_id, &message.key))? {
        return Err(StoreError::Repeated(message.turn_id.clone()));
    }
    let sql = "SELECT place FROM messages WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1";
    let ends = [place(session, 0), place(session, MAX_ID)];
    let last: Option<i64> =
        desk.connection.prepare_cached(sql)?.query_row(ends, |row| row.get(0)).optional()?;
    let place = place(session, last.map_or(0, id_at) + 1);
    let sql = "INSERT INTO messages (place, session, turn_id, key, state, digest, body, answer, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    desk.connection.prepare_cached(sql)?.execute((
        place,
        session,
        &message.turn_id,
        &message.key,
        state_number(message.state),
        message.body_digest.as_slice(),
        message.body.as_ref(),
        message.answer.as_ref(),
        message_sum(place, message),
    ))?;
    Ok(())
}

/// A message is done: its body is not needed any more, and without a key nothing of it is.
fn finish(desk: &Desk<'_>, session: i64, turn_id: &str) -> Result<(), StoreError> {
    let sql = format!("SELECT {MESSAGE} FROM messages WHERE session = ?1 AND turn_id = ?2");
    let mut select = desk.connection.prepare_cached(&sql)?;
    let found = select.query((session, turn_id))?.next()?.map(read_message).transpose()?;
    // It may have been forgotten already; saying so twice does no harm.
    let Some((place, mut message)) = found else { return Ok(()) };
    if message.key.is_none() {
        desk.connection.prepare_cached("DELETE FROM messages WHERE place = ?1")?.execute([place])?;
        return Ok(());
    }
    message.body = Bytes::new();
    let sql = "UPDATE messages SET state = ?2, body = x'', checksum = ?3 WHERE place = ?1";
    let row = (place, state_number(MessageState::Done), message_sum(place, &message));
    desk.connection.prepare_cached(sql)?.execute(row)?;
    forget_old_keys(desk, session)
}

fn forget_old_keys(desk: &Desk<'_>, session: i64) -> Result<(), StoreError> {
    let (from, to) = (place(session, 0), place(session, MAX_ID));
    let done = state_number(MessageState::Done);
    let sql = "DELETE FROM messages WHERE place BETWEEN ?1 AND ?2 AND state = ?3 AND place <= (
                   SELECT place FROM messages WHERE place BETWEEN ?1 AND ?2 AND state = ?3
                   ORDER BY place DESC LIMIT 1 OFFSET ?4)";
    desk.connection.prepare_cached(sql)?.execute([from, to, done, REMEMBERED_KEYS])?;
    Ok(())
}
