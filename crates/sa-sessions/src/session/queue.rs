//! Messages that wait for their turn. They are stored as they are here: parts of messages are content of events, which the log holds in
//! the same form.

use sa_api::sessions::{MessagePart, QueuedMessage};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A message that was accepted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Queued {
    pub(super) turn_id: String,
    pub(super) message_id: String,
    pub(super) parts: Vec<MessagePart>,
    /// Goes to the agent before the messages that were already waiting.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) interrupts: bool,
    /// The trace that the message belongs to, as its request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) traceparent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tracestate: Option<String>,
}

/// Messages in the order in which they will be given to the agent.
#[derive(Debug, Default)]
pub(super) struct Queue(VecDeque<Queued>);

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a message. Messages that were accepted one after the other, added in that order, get the same places again.
    pub(super) fn push(&mut self, message: Queued) {
        if message.interrupts {
            self.0.push_front(message);
        } else {
            self.0.push_back(message);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Queued> {
        self.0.pop_front()
    }

    /// Takes one of them out, if it is there, and returns its place.
    pub(super) fn remove(&mut self, message_id: &str) -> Option<(usize, Queued)> {
        let at = self.position(message_id)?;
        self.0.remove(at).map(|message| (at, message))
    }

    /// Puts a message back where it was taken out.
    pub(super) fn put_back(&mut self, at: usize, message: Queued) {
        self.0.insert(at.min(self.0.len()), message);
    }

    /// Returns how many messages are before that one.
    fn position(&self, message_id: &str) -> Option<usize> {
        self.0.iter().position(|message| message.message_id == message_id)
    }

    /// Returns the messages as clients see them.
    pub(super) fn describe(&self) -> Vec<QueuedMessage> {
        let describe = |message: &Queued| QueuedMessage {
            message_id: message.message_id.clone(),
            turn_id: message.turn_id.clone(),
        };
        self.0.iter().map(describe).collect()
    }

    /// Returns the messages' ids.
    pub(super) fn message_ids(&self) -> Vec<String> {
        self.0.iter().map(|message| message.message_id.clone()).collect()
    }

    /// Gives messages each other's places, so that they come in this order. Others keep theirs; ids that do not wait are ignored.
    pub(super) fn reorder(&mut self, message_ids: &[String]) {
        let mut places: Vec<usize> = message_ids.iter().filter_map(|id| self.position(id)).collect();
        let wanted: Vec<Queued> = places.iter().filter_map(|at| self.0.get(*at).cloned()).collect();
        places.sort_unstable();
        for (at, message) in places.into_iter().zip(wanted) {
            if let Some(place) = self.0.get_mut(at) {
                *place = message;
            }
        }
    }

    /// Takes all of them out.
    pub(super) fn take(&mut self) -> VecDeque<Queued> {
        std::mem::take(&mut self.0)
    }
}
