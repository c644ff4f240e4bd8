//! The transcript of a session: its messages, whole.

use super::{MessagePart, Role};
use crate::Timestamp;
use sa_api_macros::api;
use serde_json::{Map, Value};

/// A page of a session's transcript.
#[api]
pub struct TranscriptPage {
    /// Messages in the requested order. A user's message stands where its turn began. Messages that wait for their turn come after
    /// all others, in the order of the queue.
    pub messages: Vec<TranscriptMessage>,
    /// True if more messages follow in the requested order.
    pub has_more: bool,
    /// Cursor of the next page: send it as `after` with the same `order`. Absent if there is no next page.
    pub next: Option<u64>,
    /// Id of the event to stream after, such as `…/events/sse?after=…`. Use the one of the first page that you read: the stream then
    /// has everything that the pages lack. Pieces of messages in state `streaming` come again from the first one that `parts` lacks.
    pub events_after: u64,
}

/// A message of a transcript in its newest state.
#[api]
pub struct TranscriptMessage {
    /// Id of the message within its session. `unparsed:<eventId>` for a message that was not understood.
    pub id: String,
    /// Author of the message.
    pub role: Role,
    /// Parts of the message. Empty for a message in state `streaming` of which only pieces have been recorded. A single `unknown`
    /// part for a message that was not understood.
    pub parts: Vec<MessagePart>,
    /// Metadata of the message, as in the `message` event. `error` says why a message was not understood.
    #[optional]
    pub metadata: Map<String, Value>,
    /// Id of the event with this state. Events up to and including this one add nothing to the message; skip them when you apply a
    /// stream.
    pub event_id: u64,
    /// Time at which this state was recorded.
    pub timestamp: Timestamp,
    /// Turn that the message belongs to or, while it waits, the turn that it will begin.
    pub turn_id: Option<String>,
    /// State of the message.
    pub state: TranscriptState,
}

/// State of a message of a transcript.
#[api]
pub enum TranscriptState {
    /// Everything that was said of it so far is in `parts`. A tool call that still runs gets newer states; see its `status`.
    Complete,
    /// Pieces have been recorded that are not in `parts`. They come again on a stream after `eventsAfter`.
    Streaming,
    /// A user's message that waits for its turn.
    Queued,
    /// A user's message that was withdrawn before its turn began. It stands where it was withdrawn.
    Withdrawn,
}

/// Order of a transcript.
#[api(Default)]
pub enum TranscriptOrder {
    /// The oldest message first.
    #[default]
    Asc,
    /// The newest message first.
    Desc,
}
