//! The queue of waiting messages as clients change it: held after a restart, continued, shortened.

use super::Owner;
use super::queue::Queued;
use crate::SessionError;
use crate::command::Withdrawal;
use sa_api::sessions::{
    EventData, MessageAccepted, MessageWithdrawn, QueueHeld, QueueReleased, QueueReordered, SessionState,
    WithdrawnBy,
};
use sa_store::{MessageChange, MessageState, StoredMessage};

impl Owner {
    /// Notes that messages from before a restart wait for a client.
    pub(super) fn hold_queue(&mut self) {
        self.record.queue_held = self.queue.len() > 0;
        if self.record.queue_held {
            self.draft.event(EventData::QueueHeld(QueueHeld { message_ids: self.queue.message_ids() }));
        }
    }

    /// Continues with messages that were held.
    pub(super) fn release_queue(&mut self) {
        if std::mem::take(&mut self.record.queue_held) {
            let message_ids = self.queue.message_ids();
            self.draft.event(EventData::QueueReleased(QueueReleased { message_ids }));
        }
    }

    /// Continues with a queue that is held. An agent that has ended is started again, now if nothing waits for it.
    pub(super) async fn resume(&mut self) {
        self.release_queue();
        self.commit().await;
        if self.queue.len() == 0 && self.turn.is_none() && self.record.state == SessionState::Interrupted {
            // The session says what went wrong.
            let _ = self.start().await;
        }
    }

    /// Takes one message out of the queue.
    pub(super) async fn withdraw_message(&mut self, message_id: &str) -> Result<Withdrawal, SessionError> {
        if self.turn.as_ref().is_some_and(|turn| turn.message_id == message_id) {
            return Ok(Withdrawal::Running);
        }
        // The agent's words so far come before it, and are not lost if the disk is full.
        self.commit().await;
        let Some(at) = self.queue.position(message_id) else { return Ok(Withdrawal::NotWaiting) };
        let Some(message) = self.queue.remove(message_id) else { return Ok(Withdrawal::NotWaiting) };
        let was_held = self.record.queue_held;
        self.record.queue_held &= self.queue.len() > 0;
        self.note_withdrawn(message.clone(), WithdrawnBy::Client);
        if let Err(error) = self.try_commit().await {
            self.queue.put_back(at, message);
            self.record.queue_held = was_held;
            return Err(error);
        }
        Ok(Withdrawal::Withdrawn)
    }

    /// Changes the order of messages that wait.
    pub(super) async fn reorder_queue(&mut self, message_ids: &[String]) -> Result<(), SessionError> {
        // The agent's words so far come before it, and are not lost if the disk is full.
        self.commit().await;
        let before = self.queue.message_ids();
        self.queue.reorder(message_ids);
        let after = self.queue.message_ids();
        if after == before {
            return Ok(());
        }
        let order_before = std::mem::replace(&mut self.record.queue_order, after.clone());
        self.draft.event(EventData::QueueReordered(QueueReordered { message_ids: after }));
        if let Err(error) = self.try_commit().await {
            self.queue.reorder(&before);
            self.record.queue_order = order_before;
            return Err(error);
        }
        self.shared.show(&self.record, self.queue.describe());
        Ok(())
    }

    /// Works the end of a message that has not begun into the draft.
    pub(super) fn note_withdrawn(&mut self, message: Queued, by: WithdrawnBy) {
        let Queued { turn_id, message_id, .. } = message;
        self.draft
            .messages
            .push(MessageChange::State { turn_id: turn_id.clone(), state: MessageState::Done });
        self.draft.event(EventData::MessageWithdrawn(MessageWithdrawn { message_id, turn_id, by }));
    }

    /// Notes that a message cannot be given to the agent, as what is stored of it makes no sense.
    pub(super) fn note_unreadable(&mut self, message: &StoredMessage) {
        let accepted = serde_json::from_slice::<MessageAccepted>(&message.answer);
        let message_id = accepted.map(|accepted| accepted.message_id).unwrap_or_default();
        let turn_id = message.turn_id.clone();
        self.draft
            .messages
            .push(MessageChange::State { turn_id: turn_id.clone(), state: MessageState::Done });
        let by = WithdrawnBy::DaemonRestarted;
        self.draft.event(EventData::MessageWithdrawn(MessageWithdrawn { message_id, turn_id, by }));
    }

    /// Stops without a trace, so that another owner can take the session up with other settings.
    pub(super) async fn relinquish(&mut self) -> Result<(), SessionError> {
        // A session that has just been made is about to be started by the request that made it.
        let is_new = self.record.state == SessionState::Starting;
        if self.record.begun || is_new || self.ending.is_some() {
            return Err(SessionError::Exists(self.shared.id.clone()));
        }
        self.commit().await;
        self.done = true;
        Ok(())
    }
}
