//! Keys of messages that are done: which message each named, and what its client was answered.

use crate::checksum::Checksum;
use crate::error::Result;
use crate::queries::damaged;
use crate::statements::Statements as _;
use crate::types::{MessageState, StoredMessage};
use bytes::Bytes;
use rusqlite::Connection;

/// Returns the message that had this key, without its body.
pub(crate) fn find(connection: &Connection, session: i64, key: &str) -> Result<Option<StoredMessage>> {
    let sql = "SELECT at_ms, turn_id, digest, answer, checksum FROM keys WHERE session = ?1 AND key = ?2";
    connection.first(sql, (session, key), |row| {
        let wrong = || damaged(format!("a key of session number {session}"));
        let message = StoredMessage {
            turn_id: row.get(1)?,
            key: Some(key.to_owned()),
            body_digest: row.get::<_, Vec<u8>>(2)?.try_into().map_err(|_| wrong())?,
            body: Bytes::new(),
            answer: row.get::<_, Vec<u8>>(3)?.into(),
            state: MessageState::Done,
        };
        let is_whole = row.get::<_, i64>(4)? == sum(session, key, row.get(0)?, &message);
        is_whole.then_some(message).ok_or_else(wrong)
    })
}

/// Remembers a message that is done by its key.
pub(crate) fn insert(
    connection: &Connection,
    session: i64,
    key: &str,
    at_ms: i64,
    message: &StoredMessage,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO keys (session, key, at_ms, turn_id, digest, answer, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let (digest, answer) = (message.body_digest.as_slice(), message.answer.as_ref());
    let sum = sum(session, key, at_ms, message);
    connection.change(sql, (session, key, at_ms, &message.turn_id, digest, answer, sum))
}

/// Forgets the keys from before `until_ms`, and the oldest of those that are more than `most`.
pub(crate) fn trim(connection: &Connection, session: i64, until_ms: i64, most: i64) -> Result<()> {
    connection.change("DELETE FROM keys WHERE session = ?1 AND at_ms < ?2", [session, until_ms])?;
    let count = "SELECT count(*) FROM keys WHERE session = ?1";
    let kept: i64 = connection.prepare_cached(count)?.query_row([session], |row| row.get(0))?;
    if kept > most {
        let many = "DELETE FROM keys WHERE session = ?1 AND key IN
                    (SELECT key FROM keys WHERE session = ?1 ORDER BY at_ms LIMIT ?2)";
        connection.change(many, [session, kept - most])?;
    }
    Ok(())
}

fn sum(session: i64, key: &str, at_ms: i64, message: &StoredMessage) -> i64 {
    let sum = Checksum::default().number(session).bytes(key.as_bytes()).number(at_ms);
    sum.bytes(message.turn_id.as_bytes()).bytes(&message.body_digest).bytes(&message.answer).sum()
}
