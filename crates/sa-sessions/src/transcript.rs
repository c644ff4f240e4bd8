//! The transcript: which events say something of it, and pages of it as clients get them.

use crate::error::Result;
use crate::interrupted_messages::begun_by;
use crate::log::{Log, Reader};
use bytes::{BufMut, Bytes, BytesMut};
use sa_api::sessions::{
    EventData, MessagePart, ParsedMessage, Role, TranscriptOrder, TranscriptState, UniversalEvent,
    UniversalMessage, UnparsedMessage,
};
use sa_store::{Direction, Mark, QueuePlace, Standing, TranscriptEntry};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of the events that one page is made of, unless one message alone is more.
const PAGE_BYTES: usize = 1 << 20;
/// Messages with open pieces that are remembered. Beyond that their pieces are marked again, which changes nothing.
const REMEMBERED: usize = 1024;
/// The beginning of ids of messages that clients have sent. Messages of users that agents report have other ids.
pub(crate) const SENT: &str = "msg";

/// Says which events change a session's transcript, and how.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    /// Messages whose first piece is marked already.
    open: HashSet<String>,
}

impl Marker {
    /// Returns the change that the next event of the log makes.
    pub(crate) fn mark(&mut self, event: &EventData) -> Option<Mark> {
        match event {
            EventData::MessageDelta(delta) if self.open.contains(&delta.message_id) => return None,
            EventData::MessageDelta(delta) => {
                if self.open.len() >= REMEMBERED {
                    self.open.clear();
                }
                self.open.insert(delta.message_id.clone());
            }
            EventData::Message(UniversalMessage::Parsed(message)) => {
                self.open.remove(&message.id);
            }
            _ => {}
        }
        mark(event)
    }
}

/// Returns the change that a stored event makes to its session's transcript.
pub fn stored_mark(event: &[u8]) -> Option<Mark> {
    let event = UniversalEvent::from_json(event).ok()?;
    mark(&event.data)
}

fn mark(event: &EventData) -> Option<Mark> {
    match event {
        EventData::Message(UniversalMessage::Parsed(message)) => Some(match turn_to_wait_for(message) {
            Some((turn_id, at)) => {
                Mark::Queued { message: message.id.clone(), turn_id: turn_id.to_owned(), at }
            }
            None => Mark::State { message: message.id.clone() },
        }),
        EventData::Message(UniversalMessage::Unparsed(_)) => Some(Mark::Nameless),
        EventData::MessageDelta(delta) => Some(Mark::Piece { message: delta.message_id.clone() }),
        EventData::TurnStarted(started) => started.message_id.clone().map(|message| Mark::Begun { message }),
        EventData::QueueReordered(order) => Some(Mark::Reordered { messages: order.message_ids.clone() }),
        // Earlier versions ended the turn of a message that was withdrawn without having begun it.
        EventData::TurnEnded(ended) => Some(Mark::Over { turn_id: ended.turn_id.clone() }),
        EventData::MessageWithdrawn(withdrawn) => Some(Mark::Over { turn_id: withdrawn.turn_id.clone() }),
        _ => None,
    }
}

/// The turn of a message that a client has sent, and its place in the queue.
fn turn_to_wait_for(message: &ParsedMessage) -> Option<(&str, QueuePlace)> {
    let sent = message.role == Role::User && message.id.strip_prefix(SENT)?.starts_with('_');
    let turn_id = message.metadata.get("turnId")?.as_str().filter(|_| sent)?;
    let interrupts = message.metadata.get("delivery").is_some_and(|delivery| delivery == "interrupt");
    Some((turn_id, if interrupts { QueuePlace::First } else { QueuePlace::Last }))
}

/// A page of a transcript.
#[derive(Debug)]
pub struct Transcript {
    /// The JSON of each message.
    pub messages: Vec<Bytes>,
    /// The cursor of the next page, if there is one.
    pub next: Option<u64>,
    /// The event after which a stream has everything that is not in here.
    pub events_after: u64,
}

/// Reads a page. `turn` returns the turn that runs and the last event before it.
pub(crate) async fn read(
    log: &Arc<Log>,
    turn: impl Fn() -> Option<(String, u64)>,
    after: Option<u64>,
    order: TranscriptOrder,
    limit: usize,
) -> Result<Transcript> {
    let direction = match order {
        TranscriptOrder::Asc => Direction::Forward,
        TranscriptOrder::Desc => Direction::Backward,
    };
    let mut reads_left = 3;
    let (slice, turn) = loop {
        let slice = log.transcript(after, direction, limit, PAGE_BYTES).await?;
        // The store may be ahead of the record that names the turn.
        Reader::new(Arc::clone(log), slice.last.saturating_sub(1)).more().await;
        let turn = turn();
        let is_in_turn = |id: u64| turn.as_ref().is_some_and(|(_, before)| id > *before);
        let is_begun = |entry: &TranscriptEntry| entry.first_piece == Some(entry.event.id);
        let is_stale = |entry: &TranscriptEntry| is_begun(entry) && !is_in_turn(entry.event.id);
        reads_left -= 1;
        // Only its turn says whose message has just begun. If that turn is over, the message is complete by now.
        if reads_left == 0 || log.ends().last == slice.last || !slice.entries.iter().any(is_stale) {
            break (slice, turn);
        }
    };
    // The store may be ahead of what readers see, and they would take such a cursor for one of another session.
    let shown = slice.last.min(log.ends().last);
    let events_after = slice.unfinished.map_or(shown, |open| shown.min(open.first_piece.saturating_sub(1)));
    let next = slice.entries.last().map(|entry| entry.position).filter(|_| slice.has_more);
    let messages = slice.entries.iter().map(|entry| message(entry, turn.as_ref())).collect::<Option<_>>();
    let messages = messages.ok_or_else(|| {
        sa_store::StoreError::Corrupt("the transcript names an event that holds no message".to_owned())
    })?;
    Ok(Transcript { messages, next, events_after })
}

/// As much of a stored event as a transcript needs.
#[derive(Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    data: Said<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    message_delta: Option<sa_api::sessions::MessageDelta>,
}

/// The JSON of a message: what the event says, with the members of the transcript added to it.
fn message(entry: &TranscriptEntry, turn: Option<&(String, u64)>) -> Option<Bytes> {
    /// Imported messages may have anything there.
    #[derive(Deserialize)]
    struct WithMetadata {
        #[serde(default)]
        metadata: Value,
    }
    let stored: Stored<'_> = serde_json::from_slice(&entry.event.data).ok()?;
    let state = match (entry.standing, entry.first_piece) {
        (Standing::Queued, _) => TranscriptState::Queued,
        (Standing::Withdrawn, _) => TranscriptState::Withdrawn,
        (Standing::Said, Some(_)) => TranscriptState::Streaming,
        (Standing::Said, None) => TranscriptState::Complete,
    };
    let mut event_id = entry.event.id;
    let (text, turn_id) = match (stored.data.message, stored.data.message_delta) {
        (Some(raw), _) => match serde_json::from_str::<UnparsedMessage>(raw.get()) {
            Ok(unparsed) => (understandable(unparsed, event_id), None),
            Err(_) => {
                let with: WithMetadata = serde_json::from_str(raw.get()).ok()?;
                let turn_id = with.metadata["turnId"].as_str().map(str::to_owned);
                (raw.get().to_owned(), turn_id)
            }
        },
        (None, Some(delta)) => {
            // No state of it is stored: everything of it is still to come.
            event_id = event_id.saturating_sub(1);
            let turn_id = turn.filter(|(_, after)| entry.event.id > *after).map(|(id, _)| id.clone());
            (serde_json::to_string(&begun_by(&delta, turn_id.clone())).ok()?, turn_id)
        }
        (None, None) => return None,
    };
    let mut added = Map::new();
    added.insert("eventId".to_owned(), event_id.into());
    added.insert("timestamp".to_owned(), stored.timestamp.into_owned().into());
    if let Some(turn_id) = turn_id {
        added.insert("turnId".to_owned(), turn_id.into());
    }
    added.insert("state".to_owned(), serde_json::to_value(state).ok()?);
    let added = Value::Object(added).to_string();
    let mut json = BytesMut::with_capacity(text.len() + added.len());
    json.put_slice(text.trim_end().strip_suffix('}')?.as_bytes());
    json.put_u8(b',');
    json.put_slice(added.strip_prefix('{')?.as_bytes());
    Some(json.freeze())
}

/// A message that was not understood, in the form of one that was.
fn understandable(unparsed: UnparsedMessage, event_id: u64) -> String {
    let metadata = Map::from_iter([("error".to_owned(), json!(unparsed.error))]);
    let parts = vec![MessagePart::Unknown { raw: unparsed.raw }];
    let message =
        ParsedMessage { id: format!("unparsed:{event_id}"), role: Role::Assistant, parts, metadata };
    serde_json::to_string(&message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::log::{Ends, EventLine};
    use parking_lot::Mutex;
    use sa_store::{Change, Listing, NewEvent, Store, StoreOptions};

    fn marked(data: Value) -> Option<Mark> {
        let event = json!({"id": 3, "timestamp": "2026-01-02T03:04:05.006Z", "sessionId": "s", "agent": "demo", "data": data});
        stored_mark(event.to_string().as_bytes())
    }

    #[test]
    fn events_of_earlier_versions_make_the_same_transcript() {
        let message = |id: &str, role: &str, metadata: Value| {
            marked(json!({"message": {"id": id, "role": role, "parts": [], "metadata": metadata}}))
        };
        let state = |message: &str| Some(Mark::State { message: message.to_owned() });
        let queued = |at| {
            let (message, turn_id) = ("msg_1".to_owned(), "t".to_owned());
            Some(Mark::Queued { message, turn_id, at })
        };
        assert_eq!(message("msg_1", "user", json!({"turnId": "t"})), queued(QueuePlace::Last));
        let interrupting = json!({"turnId": "t", "delivery": "interrupt"});
        assert_eq!(message("msg_1", "user", interrupting), queued(QueuePlace::First));
        // An agent may call its own messages so, and may repeat what a user has said.
        assert_eq!(message("msg_1", "assistant", json!({"turnId": "t"})), state("msg_1"));
        assert_eq!(message("user:1", "user", json!({"turnId": "t"})), state("user:1"));
        assert_eq!(message("msg_1", "user", json!({})), state("msg_1"));
        assert_eq!(marked(json!({"message": {"raw": 1, "error": "e"}})), Some(Mark::Nameless));
        let begun = marked(json!({"turnStarted": {"turnId": "t", "messageId": "msg_1"}}));
        assert_eq!(begun, Some(Mark::Begun { message: "msg_1".to_owned() }));
        let over = marked(json!({"turnEnded": {"turnId": "t", "stopReason": "cancelled"}}));
        assert_eq!(over, Some(Mark::Over { turn_id: "t".to_owned() }));
        assert_eq!(marked(json!({"ended": {"reason": "terminated"}})), None);
        assert_eq!(stored_mark(b"no event"), None);
    }

    #[test]
    fn only_the_first_piece_after_a_state_is_marked() {
        let event = |data: Value| serde_json::from_value::<EventData>(data).unwrap();
        let piece = event(json!({"messageDelta": {"messageId": "m", "kind": "text", "text": "x"}}));
        let state = event(json!({"message": {"id": "m", "role": "assistant", "parts": []}}));
        let mut marker = Marker::default();
        let marked: Vec<bool> = [&piece, &piece, &state, &piece, &piece]
            .into_iter()
            .map(|event| marker.mark(event).is_some())
            .collect();
        assert_eq!(marked, [true, false, true, true, false]);
    }

    #[tokio::test]
    async fn a_message_that_has_just_begun_belongs_to_the_turn_that_its_reader_sees_next() {
        let store = Store::in_memory(StoreOptions::default()).await.unwrap();
        assert!(store.create("s", Bytes::from_static(b"{}"), Listing::default()).await.unwrap());
        let line = |id: u64, data: Value| {
            let event = json!({"id": id, "timestamp": "2026-01-02T03:04:05.006Z", "sessionId": "s", "agent": "demo", "data": data});
            EventLine { id, json: event.to_string().into() }
        };
        let piece = json!({"messageDelta": {"messageId": "m", "kind": "text", "text": "x"}});
        let lines = vec![
            line(1, json!({"turnStarted": {"turnId": "t1"}})),
            line(2, json!({"turnEnded": {"turnId": "t1", "stopReason": "end_turn"}})),
            line(3, json!({"turnStarted": {"turnId": "t2"}})),
            line(4, piece),
        ];
        let events = lines.iter().map(|line| NewEvent {
            id: line.id,
            at_ms: 0,
            data: line.json.clone(),
            mark: stored_mark(&line.json),
        });
        store.commit("s", Change { events: events.collect(), ..Change::default() }).await.unwrap();
        // The commit of the second turn is stored and not published yet.
        let log = Arc::new(Log::new("s", store, Ends { oldest: 1, last: 1, closed: false }));
        let turn = Mutex::new(("t1".to_owned(), 0));
        let read = read(&log, || Some(turn.lock().clone()), None, TranscriptOrder::Asc, 10);
        let publish = async {
            tokio::task::yield_now().await;
            *turn.lock() = ("t2".to_owned(), 2);
            log.publish(lines, 1);
        };
        let (page, ()) = tokio::join!(read, publish);
        let message: Value = serde_json::from_slice(&page.unwrap().messages[0]).unwrap();
        assert_eq!((&message["turnId"], &message["state"]), (&json!("t2"), &json!("streaming")));
    }

    #[test]
    fn a_message_that_was_not_understood_has_the_form_of_others() {
        let data = json!({"id": 7, "timestamp": "2026-01-02T03:04:05.006Z", "sessionId": "s", "agent": "demo",
            "data": {"message": {"raw": {"a": 1}, "error": "odd"}}});
        let event = sa_store::StoredEvent { id: 7, at_ms: 0, data: data.to_string().into() };
        let entry = TranscriptEntry { position: 7, standing: Standing::Said, first_piece: None, event };
        let json: sa_api::sessions::TranscriptMessage =
            serde_json::from_slice(&message(&entry, None).unwrap()).unwrap();
        assert_eq!(
            (json.id.as_str(), json.event_id, json.state),
            ("unparsed:7", 7, TranscriptState::Complete)
        );
        assert_eq!(json.parts, [MessagePart::Unknown { raw: json!({"a": 1}) }]);
        assert_eq!(json.metadata["error"], "odd");
    }
}
