//! Messages: accepted once, gone on with, and remembered by their keys for a while.

use super::Transaction;
use crate::error::{Result, StoreError};
use crate::keys;
use crate::messages::{Label, insert, labels, remove, set_state, whole};
use crate::schema::{id_at, place};
use crate::types::{MessageChange, MessageState, StoredMessage};

/// Makes one change of a session's messages.
pub(super) fn change(transaction: &Transaction<'_>, session: i64, change: &MessageChange) -> Result<()> {
    match change {
        MessageChange::Accept(message) => accept(transaction, session, message),
        MessageChange::State { turn_id, state: MessageState::Done } => finish(transaction, session, turn_id),
        MessageChange::State { turn_id, state } => {
            let label =
                labels(transaction.connection, session)?.into_iter().find(|label| label.turn_id == *turn_id);
            let label = label.ok_or_else(|| StoreError::UnknownTurn(turn_id.clone()))?;
            set_state(transaction.connection, label, *state)
        }
    }
}

fn accept(transaction: &Transaction<'_>, session: i64, message: &StoredMessage) -> Result<()> {
    let labels = labels(transaction.connection, session)?;
    let same_key = |key: &Option<String>| key.is_some() && *key == message.key;
    let known = match &message.key {
        Some(key) => keys::find(transaction.connection, session, key)?.is_some(),
        None => false,
    };
    if known || labels.iter().any(|label| label.turn_id == message.turn_id || same_key(&label.key)) {
        return Err(StoreError::Repeated(message.turn_id.clone()));
    }
    let last = labels.last().map_or(0, |label| id_at(label.place));
    insert(transaction.connection, place(session, last + 1), message)
}

/// Finishes a message: its body is not needed any more, and without a key nothing of it is.
fn finish(transaction: &Transaction<'_>, session: i64, turn_id: &str) -> Result<()> {
    let labels = labels(transaction.connection, session)?;
    // It may have been forgotten already; saying so twice does no harm.
    let Some(label) = labels.iter().find(|label| label.turn_id == turn_id) else { return Ok(()) };
    if label.key.is_none() {
        return remove(transaction.connection, label);
    }
    // Earlier versions of this program kept those that are done among the others.
    let done = labels.iter().filter(|other| other.state == MessageState::Done);
    for label in done.chain([label]) {
        remember(transaction, session, label)?;
    }
    let until = transaction.now_ms.saturating_sub(transaction.retention.keys_ms).cast_signed();
    let most = i64::try_from(transaction.retention.keys_per_session).unwrap_or(i64::MAX);
    keys::trim(transaction.connection, session, until, most)
}

/// Moves a message to the keys.
fn remember(transaction: &Transaction<'_>, session: i64, label: &Label) -> Result<()> {
    let message = whole(transaction.connection, label.clone())?;
    if let Some(key) = &label.key {
        keys::insert(transaction.connection, session, key, transaction.now_ms.cast_signed(), &message)?;
    }
    remove(transaction.connection, label)
}
