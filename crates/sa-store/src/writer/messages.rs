//! Messages: accepted once, gone on with, and remembered by their keys for a while.

use super::Desk;
use crate::error::StoreError;
use crate::limits::REMEMBERED_KEYS;
use crate::messages::{drop_body, insert, labels, remove, set_state};
use crate::schema::{id_at, place};
use crate::types::{MessageChange, MessageState, StoredMessage};

/// Makes one change of a session's messages.
pub(super) fn change(desk: &Desk<'_>, session: i64, change: &MessageChange) -> Result<(), StoreError> {
    match change {
        MessageChange::Accept(message) => accept(desk, session, message),
        MessageChange::State { turn_id, state: MessageState::Done } => finish(desk, session, turn_id),
        MessageChange::State { turn_id, state } => {
            let label = labels(desk.connection, session)?.into_iter().find(|label| label.turn_id == *turn_id);
            let label = label.ok_or_else(|| StoreError::UnknownTurn(turn_id.clone()))?;
            set_state(desk.connection, label, *state)
        }
    }
}

fn accept(desk: &Desk<'_>, session: i64, message: &StoredMessage) -> Result<(), StoreError> {
    let labels = labels(desk.connection, session)?;
    let same_key = |key: &Option<String>| key.is_some() && *key == message.key;
    if labels.iter().any(|label| label.turn_id == message.turn_id || same_key(&label.key)) {
        return Err(StoreError::Repeated(message.turn_id.clone()));
    }
    let last = labels.last().map_or(0, |label| id_at(label.place));
    insert(desk.connection, place(session, last + 1), message)
}

/// A message is done: its body is not needed any more, and without a key nothing of it is.
fn finish(desk: &Desk<'_>, session: i64, turn_id: &str) -> Result<(), StoreError> {
    let labels = labels(desk.connection, session)?;
    // It may have been forgotten already; saying so twice does no harm.
    let Some(label) = labels.iter().find(|label| label.turn_id == turn_id) else { return Ok(()) };
    if label.key.is_none() {
        return remove(desk.connection, label);
    }
    drop_body(desk.connection, label)?;
    set_state(desk.connection, label.clone(), MessageState::Done)?;
    let done = labels.iter().filter(|label| label.state == MessageState::Done);
    let many = done.clone().count().saturating_sub(REMEMBERED_KEYS);
    done.take(many).try_for_each(|label| remove(desk.connection, label))
}
