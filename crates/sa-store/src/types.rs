//! Inputs and outputs of the store.

use crate::usage::UsageNote;
use bytes::Bytes;

/// A change of one session; all of it is committed, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    pub record: Option<Bytes>,
    /// The session's entry in lists from now on.
    pub listing: Option<Listing>,
    /// Events that are appended. The first one's id is the last one's in the store plus one, and so on.
    pub events: Vec<NewEvent>,
    /// Messages that are accepted or change their state, in this order.
    pub messages: Vec<MessageChange>,
    /// Tokens and cost that its turns have used since the last change.
    pub usage: Vec<UsageNote>,
    /// Set or cleared if the session has ended or continues; unchanged if absent.
    pub ended: Option<bool>,
}

/// The part of a session by which it is found while nobody has read its record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The time of its creation, in milliseconds since 1970; lists are in this order.
    pub created_at_ms: u64,
    /// The agent's id in the catalog.
    pub agent: String,
    /// The agent's own id of it.
    pub native: Option<String>,
    /// The client's idempotency key that it was created with.
    pub key: Option<String>,
    /// Anything else that filters look at.
    pub labels: Bytes,
    /// True if something is under way in it, so that it has to be taken up when the store is opened next.
    pub active: bool,
}

/// A place in the list of sessions, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPlace {
    /// The time of creation of the session at that place.
    pub created_at_ms: u64,
    /// The id of that session, which orders sessions created in the same millisecond.
    pub id: String,
}

/// Sessions by whether they have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Which {
    /// Every session.
    #[default]
    All,
    /// Those that have not ended.
    Open,
    Ended,
}

/// An event to append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The id, counted by the session's owner from 1.
    pub id: u64,
    /// The time of the event, in milliseconds since 1970.
    pub at_ms: u64,
    pub data: Bytes,
    /// The change that it makes to the transcript.
    pub mark: Option<Mark>,
}

/// A change of a session's transcript: the list of its messages, each with the event that holds its newest state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The event holds the newest state of a message. A new message takes its place here.
    State { message: String },
    /// The event holds a message without an id.
    Nameless,
    /// The event holds a piece of a message that its newest state does not have.
    Piece { message: String },
    /// The event holds a message that waits for its turn, at the end of the transcript.
    Queued { message: String, turn_id: String, at: QueuePlace },
    /// A message that waited takes its place here.
    Begun { message: String },
    /// Messages that wait take the places that they have, in this order.
    Reordered { messages: Vec<String> },
    /// A turn is over. If its message still waited, it was taken back; it takes its place here.
    Over { turn_id: String },
}

/// A place in the queue of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePlace {
    /// Before the messages that wait already.
    First,
    Last,
}

/// An event that was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub id: u64,
    /// The time of the event, in milliseconds since 1970.
    pub at_ms: u64,
    pub data: Bytes,
}

/// The events that a session has after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The id of the oldest event that is kept; `last + 1` if there is none.
    pub oldest: u64,
    /// The id of the newest event; 0 if there was none yet.
    pub last: u64,
}

/// A run of a session's events, without holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSlice {
    /// The events in order. The first one is the one after the given id, or `oldest` if that one is no longer kept.
    pub events: Vec<StoredEvent>,
    /// The id of the oldest event that is kept; `last + 1` if there is none.
    pub oldest: u64,
    /// The id of the newest event; 0 if there was none yet.
    pub last: u64,
}

/// The direction in which a transcript is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// The oldest message first.
    #[default]
    Forward,
    /// The newest message first.
    Backward,
}

/// A run of a session's transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptSlice {
    /// The messages, in the direction that was asked for.
    pub entries: Vec<TranscriptEntry>,
    /// True if more messages follow in that direction.
    pub has_more: bool,
    /// The messages of which pieces are stored that their newest states do not have.
    pub unfinished: Option<Unfinished>,
    /// The id of the newest event; 0 if there was none yet.
    pub last: u64,
}

/// The messages of a session of which pieces are stored that their newest states do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfinished {
    /// The id of the first such piece.
    pub first_piece: u64,
    /// The id of the first event that one of these messages is made of: a state, or a piece.
    pub from: u64,
}

/// A message of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptEntry {
    /// Place of the message; messages that come later have higher ones.
    pub position: u64,
    /// Fate of the message.
    pub standing: Standing,
    /// The id of the first piece that its newest state does not have.
    pub first_piece: Option<u64>,
    /// The event with its newest state; the one with its first piece if there is no state yet.
    pub event: StoredEvent,
}

/// Fate of a message, with the number that a row has for it. Any two of the numbers differ in two bits, so one flipped bit
/// makes none of them another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Said = 3,
    /// The message waits for its turn.
    Queued = 5,
    /// The message was withdrawn before its turn began.
    Withdrawn = 6,
}

/// A change of a session's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageChange {
    Accept(StoredMessage),
    /// A message changes its state. A message that is done loses its body. Without a key it is removed, as nobody can
    /// ask for it.
    State {
        turn_id: String,
        state: MessageState,
    },
}

/// A message that a session has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// The turn that it begins; unique in its session.
    pub turn_id: String,
    /// The client's idempotency key; unique in its session.
    pub key: Option<String>,
    /// A digest of the client's request, to distinguish a repetition from another message with the same key.
    pub body_digest: [u8; 32],
    /// The data to run it; empty once it is done.
    pub body: Bytes,
    pub answer: Bytes,
    pub state: MessageState,
}

/// The state of a message, with the number that a row has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageState {
    /// The message waits for the turns before it.
    Queued = 1,
    /// The turn of the message runs.
    Running = 2,
    /// The turn has ended, or the message was withdrawn.
    Done = 3,
}

/// The part of a session that changes with each event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The number of the session's row.
    pub(crate) session: i64,
    /// The id of the oldest event that is kept; `last + 1` if there is none.
    pub oldest: u64,
    /// The id of the newest event; 0 if there was none yet.
    pub last: u64,
    /// Bytes of the events that are kept.
    pub bytes: u64,
    /// The time of its creation, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// The time of its last change.
    pub updated_at_ms: u64,
    /// The time of its end, if it has ended.
    pub ended_at_ms: Option<u64>,
}

/// A session as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    pub id: String,
    pub record: Bytes,
    pub head: Head,
    /// The cursor of its webhook, if one was ever stored.
    pub webhook: Option<WebhookCursor>,
    /// The session's entry in lists.
    pub listing: Listing,
}

/// The outcome of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// Sessions that are gone.
    pub forgotten: Vec<String>,
    /// Sessions whose oldest events are gone, each with the id of the oldest that is left.
    pub trimmed: Vec<(String, u64)>,
    /// There is still too much, and another sweep would remove more.
    pub has_more: bool,
}

/// The cursor of a session's webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookCursor {
    /// Everything up to this event was delivered.
    pub delivered: u64,
    pub state: Bytes,
}

/// Counters of the writer since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Changes that were committed, of every kind.
    pub changes: u64,
    /// Transactions that they took.
    pub transactions: u64,
    /// Transactions that failed and were rolled back.
    pub failures: u64,
    /// Times that the write-ahead log was copied to the database.
    pub checkpoints: u64,
    /// Bytes that wait for the writer now.
    pub queued_bytes: u64,
    pub sessions: u64,
    /// Those of them that have ended.
    pub ended: u64,
}

impl Change {
    /// Returns the bytes that count in the writer's queue.
    pub(crate) fn bytes(&self) -> usize {
        let events = self.events.iter().map(|event| event.data.len() + crate::limits::CHANGE_COST);
        let messages = self.messages.iter().map(|message| match message {
            MessageChange::Accept(message) => {
                message.body.len() + message.answer.len() + crate::limits::CHANGE_COST
            }
            MessageChange::State { .. } => crate::limits::CHANGE_COST,
        });
        let usage = self.usage.len() * crate::limits::CHANGE_COST;
        self.record.as_ref().map_or(0, Bytes::len) + events.sum::<usize>() + messages.sum::<usize>() + usage
    }
}
