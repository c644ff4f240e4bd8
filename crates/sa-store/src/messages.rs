//! Messages as rows: a label that says which one it is and how far, and what it holds.

use crate::checksum::Checksum;
use crate::error::Result;
use crate::queries::damaged;
use crate::schema::{MAX_ID, id_at, place};
use crate::statements::Statements as _;
use crate::types::{MessageState, StoredMessage};
use rusqlite::Connection;

/// The id and the state of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) place: i64,
    pub(crate) turn_id: String,
    pub(crate) key: Option<String>,
    pub(crate) state: MessageState,
    digest: [u8; 32],
}

impl Label {
    fn sum(&self) -> i64 {
        let sum = Checksum::default().number(self.place).bytes(self.turn_id.as_bytes());
        let sum = sum.optional(self.key.as_deref().map(str::as_bytes)).number(self.state as i64);
        sum.bytes(&self.digest).sum()
    }
}

/// Returns the labels of all messages of a session, in order. All are checked, so one that is not found is not there.
pub(crate) fn labels(connection: &Connection, session: i64) -> Result<Vec<Label>> {
    let sql = "SELECT place, turn_id, key, state, digest, label FROM messages WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
    connection.all(sql, [place(session, 0), place(session, MAX_ID)], |row| {
        let place: i64 = row.get(0)?;
        let wrong = || damaged(format!("message {} of session number {session}", id_at(place)));
        let label = Label {
            place,
            turn_id: row.get(1)?,
            key: row.get(2)?,
            state: state_of(row.get(3)?).ok_or_else(wrong)?,
            digest: row.get::<_, Vec<u8>>(4)?.try_into().map_err(|_| wrong())?,
        };
        if row.get::<_, i64>(5)? != label.sum() {
            return Err(wrong());
        }
        Ok(label)
    })
}

pub(crate) fn whole(connection: &Connection, label: Label) -> Result<StoredMessage> {
    let sql = "SELECT checksum, answer, body FROM messages WHERE place = ?1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let (sum, answer, body): (i64, Vec<u8>, Vec<u8>) =
        connection.prepare_cached(sql)?.query_row([label.place], read)?;
    if sum != content_sum(label.place, &answer, &body) {
        return Err(damaged(format!("the message of turn {}", label.turn_id)));
    }
    Ok(StoredMessage {
        turn_id: label.turn_id,
        key: label.key,
        body_digest: label.digest,
        body: body.into(),
        answer: answer.into(),
        state: label.state,
    })
}

/// Adds a message to a session.
pub(crate) fn insert(connection: &Connection, place: i64, message: &StoredMessage) -> Result<()> {
    let StoredMessage { turn_id, key, body_digest: digest, body, answer, state } = message;
    let label = Label { place, turn_id: turn_id.clone(), key: key.clone(), state: *state, digest: *digest };
    let sql = "INSERT INTO messages (place, turn_id, key, state, digest, label, checksum, answer, body)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let (label, content) = (label.sum(), content_sum(place, answer, body));
    let (digest, answer, body) = (digest.as_slice(), answer.as_ref(), body.as_ref());
    connection.change(sql, (place, turn_id, key, *state as i64, digest, label, content, answer, body))
}

/// Notes how far a message is.
pub(crate) fn set_state(connection: &Connection, label: Label, state: MessageState) -> Result<()> {
    let label = Label { state, ..label };
    let sql = "UPDATE messages SET state = ?2, label = ?3 WHERE place = ?1";
    connection.change(sql, (label.place, state as i64, label.sum()))
}

/// Forgets a message.
pub(crate) fn remove(connection: &Connection, label: &Label) -> Result<()> {
    connection.change("DELETE FROM messages WHERE place = ?1", [label.place])
}

fn content_sum(place: i64, answer: &[u8], body: &[u8]) -> i64 {
    Checksum::default().number(place).bytes(answer).bytes(body).sum()
}

fn state_of(number: i64) -> Option<MessageState> {
    let states = [MessageState::Queued, MessageState::Running, MessageState::Done];
    states.into_iter().find(|state| *state as i64 == number)
}
