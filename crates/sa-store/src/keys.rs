//! Keys of messages that are done: which message each named, and what its client was answered.

use crate::checksum::Checksum;
use crate::error::StoreError;
use crate::queries::damaged;
use crate::types::{MessageState, StoredMessage};
use bytes::Bytes;
use rusqlite::Connection;

/// Returns the message that had this key, without its body.
pub(crate) fn find(
    connection: &Connection,
    session: i64,
    key: &str,
) -> Result<Option<StoredMessage>, StoreError> {
    let sql = "SELECT at_ms, turn_id, digest, answer, checksum FROM keys WHERE session = ?1 AND key = ?2";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query((session, key))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let wrong = || damaged(format!("a key of session number {session}"));
    let at_ms: i64 = row.get(0)?;
    let message = StoredMessage {
        turn_id: row.get(1)?,
        key: Some(key.to_owned()),
        body_digest: row.get::<_, Vec<u8>>(2)?.try_into().map_err(|_| wrong())?,
        body: Bytes::new(),
        answer: row.get::<_, Vec<u8>>(3)?.into(),
        state: MessageState::Done,
    };
    if row.get::<_, i64>(4)? != sum(session, key, at_ms, &message) {
        return Err(wrong());
    }
    Ok(Some(message))
}

/// Remembers a message that is done by its key.
pub(crate) fn insert(
    connection: &Connection,
    session: i64,
    key: &str,
    at_ms: i64,
    message: &StoredMessage,
) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO keys (session, key, at_ms, turn_id, digest, answer, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.prepare_cached(sql)?.execute((
        session,
        key,
        at_ms,
        &message.turn_id,
        message.body_digest.as_slice(),
        message.answer.as_ref(),
        sum(session, key, at_ms, message),
    ))?;
    Ok(())
}

/// Forgets the keys from before `until_ms`, and the oldest of those that are more than `most`.
pub(crate) fn trim(
    connection: &Connection,
    session: i64,
    until_ms: i64,
    most: i64,
) -> Result<(), StoreError> {
    let old = "DELETE FROM keys WHERE session = ?1 AND at_ms < ?2";
    connection.prepare_cached(old)?.execute([session, until_ms])?;
    let count = "SELECT count(*) FROM keys WHERE session = ?1";
    let kept: i64 = connection.prepare_cached(count)?.query_row([session], |row| row.get(0))?;
    if kept > most {
        let many = "DELETE FROM keys WHERE session = ?1 AND key IN
                    (SELECT key FROM keys WHERE session = ?1 ORDER BY at_ms LIMIT ?2)";
        connection.prepare_cached(many)?.execute([session, kept - most])?;
    }
    Ok(())
}

fn sum(session: i64, key: &str, at_ms: i64, message: &StoredMessage) -> i64 {
    let sum = Checksum::default().number(session).bytes(key.as_bytes()).number(at_ms);
    sum.bytes(message.turn_id.as_bytes()).bytes(&message.body_digest).bytes(&message.answer).sum()
}
