//! The channel on which a session receives messages of its agent. Bounded: a session that cannot keep up holds its agent back.

use super::wire::FromAgent;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Messages that may wait in a mailbox, or be taken at once so that a fast agent costs one commit, not many.
const MAX_MESSAGES: usize = 1024;
/// Bytes of these. One message may have more.
const MAX_BYTES: usize = 4 << 20;

/// The sender's end. Cloning gives another sender for the same session.
#[derive(Clone)]
pub(crate) struct Mailbox {
    sender: mpsc::Sender<Letter>,
    room: Arc<Semaphore>,
}

/// The session's end.
pub(crate) struct Messages(mpsc::Receiver<Letter>);

/// A message that takes up room until it is received.
struct Letter {
    message: FromAgent,
    _room: Option<OwnedSemaphorePermit>,
}

impl Mailbox {
    pub(crate) fn new() -> (Self, Messages) {
        let (sender, receiver) = mpsc::channel(MAX_MESSAGES);
        (Self { sender, room: Arc::new(Semaphore::new(MAX_BYTES)) }, Messages(receiver))
    }

    /// Sends a message once there is room. A session that is gone needs nothing any more.
    pub(crate) async fn send(&self, message: FromAgent) {
        let bytes = u32::try_from(message.bytes().min(MAX_BYTES)).unwrap_or(u32::MAX);
        // Never closed, so this waits and does not fail. A receiver that is dropped gives all room back.
        let room = Arc::clone(&self.room).acquire_many_owned(bytes).await.ok();
        let _ = self.sender.send(Letter { message, _room: room }).await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.sender.same_channel(&other.sender)
    }
}

impl Messages {
    /// Returns the next message; none if all senders are gone.
    pub(crate) async fn next(&mut self) -> Option<FromAgent> {
        Some(self.0.recv().await?.message)
    }

    /// Returns the next message if it is there.
    pub(crate) fn try_next(&mut self) -> Option<FromAgent> {
        Some(self.0.try_recv().ok()?.message)
    }

    /// Returns a message with those that have come since.
    pub(crate) fn batch(&mut self, first: FromAgent) -> Vec<FromAgent> {
        let mut bytes = first.bytes();
        let mut messages = vec![first];
        while messages.len() < MAX_MESSAGES
            && bytes < MAX_BYTES
            && let Some(message) = self.try_next()
        {
            bytes += message.bytes();
            messages.push(message);
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use futures_util::FutureExt;
    use serde_json::value::to_raw_value;

    fn notification(bytes: usize) -> FromAgent {
        let params = to_raw_value(&"x".repeat(bytes)).unwrap();
        FromAgent::Notification { method: "session/update".to_owned(), params }
    }

    /// Sends messages of this size until one has to wait, and returns how many did not.
    fn fill(mailbox: &Mailbox, bytes: usize) -> usize {
        (0..2 * MAX_MESSAGES)
            .take_while(|_| mailbox.send(notification(bytes)).now_or_never().is_some())
            .count()
    }

    #[test]
    fn large_messages_wait_for_room() {
        let (mailbox, mut messages) = Mailbox::new();
        assert_eq!(fill(&mailbox, MAX_BYTES / 8), 7, "seven fit, with their names");
        let first = messages.try_next().unwrap();
        assert_eq!(fill(&mailbox, MAX_BYTES / 8), 1, "one is gone, so there is room for one");
        assert_eq!(messages.batch(first).len(), 8);
        assert_eq!(fill(&mailbox, 2 * MAX_BYTES), 1, "one is taken, however large it is");
        let first = messages.try_next().unwrap();
        assert_eq!(fill(&mailbox, 1), MAX_MESSAGES);
        assert_eq!(messages.batch(first).len(), 1, "it is large enough to be stored alone");
        drop(messages);
        assert!(
            mailbox.send(notification(MAX_BYTES)).now_or_never().is_some(),
            "nobody waits for who is gone"
        );
    }
}
