//! Events of messages that wait for their turn.

use sa_api_macros::api;

/// The end of a message that never began a turn.
#[api(Eq)]
pub struct MessageWithdrawn {
    /// The message's id.
    pub message_id: String,
    /// The turn that it would have begun.
    pub turn_id: String,
    /// The reason.
    pub by: WithdrawnBy,
}

/// The reason a message was withdrawn.
#[api]
pub enum WithdrawnBy {
    /// A client deleted this message.
    Client,
    /// The session was cancelled, which also empties the queue.
    Cancelled,
    /// The session was terminated or deleted.
    Ended,
    /// The session was exported or forked while the message waited; this copy does not have it.
    Transferred,
    /// The daemon was restarted and could not read the message.
    DaemonRestarted,
}

/// Messages that wait until the session is resumed.
#[api(Default, Eq)]
pub struct QueueHeld {
    /// Their ids, the next one first.
    pub message_ids: Vec<String>,
}

/// A new order for messages that wait.
#[api(strict, Default, Eq)]
pub struct QueueOrder {
    /// Ids of messages, the next one first. They take the places that they have in the queue, in this order; others keep theirs.
    /// Messages that do not wait are ignored.
    pub message_ids: Vec<String>,
}

/// The order of the messages that wait, after a client changed it.
#[api(Default, Eq)]
pub struct QueueReordered {
    /// Ids of all messages that wait, the next one first.
    pub message_ids: Vec<String>,
}

/// Messages that no longer have to wait.
#[api(Default, Eq)]
pub struct QueueReleased {
    /// Their ids, the next one first.
    pub message_ids: Vec<String>,
}
