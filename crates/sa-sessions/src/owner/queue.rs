//! Messages that wait for their turn.

use sa_api::sessions::MessagePart;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A message that was accepted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Queued {
    pub(super) turn_id: String,
    pub(super) message_id: String,
    pub(super) parts: Vec<MessagePart>,
}

/// Messages in the order in which they will be given to the agent.
#[derive(Debug, Default)]
pub(super) struct Queue(VecDeque<Queued>);

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, message: Queued) {
        self.0.push_back(message);
    }

    /// Before all others.
    pub(super) fn push_first(&mut self, message: Queued) {
        self.0.push_front(message);
    }

    pub(super) fn pop(&mut self) -> Option<Queued> {
        self.0.pop_front()
    }

    /// Takes all of them out.
    pub(super) fn take(&mut self) -> VecDeque<Queued> {
        std::mem::take(&mut self.0)
    }
}
