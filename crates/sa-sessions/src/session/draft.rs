//! Changes on their way to the store: drafted during one input, committed together.

use super::effect::Commit;
use super::machine::Machine;
use crate::log::EventLine;
use crate::record::Activity;
use crate::transcript::Marker;
use bytes::Bytes;
use sa_api::sessions::{CrashKind, CutOff, EventData, SessionState, UniversalEvent};
use sa_store::{Change, Listing, Mark, MessageChange, MessageState, NewEvent, UsageNote};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Changes that are not committed yet. Empty between inputs.
#[derive(Default)]
pub(super) struct PendingChanges {
    events: Vec<EventData>,
    pub(super) messages: Vec<MessageChange>,
    pub(super) usage: Vec<UsageNote>,
    touched: bool,
}

impl PendingChanges {
    pub(super) fn event(&mut self, event: EventData) {
        debug_assert!(is_documented(&event), "{event:?} has a word that the documentation does not list");
        self.events.push(event);
    }

    /// Notes the end of a message's turn, or of the message before its turn.
    pub(super) fn message_done(&mut self, turn_id: String) {
        self.messages.push(MessageChange::State { turn_id, state: MessageState::Done });
    }

    /// Notes that the record has changed.
    pub(super) fn touch(&mut self) {
        self.touched = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.messages.is_empty() && !self.touched
    }

    fn accepts_message(&self) -> bool {
        self.messages.iter().any(|change| matches!(change, MessageChange::Accept(_)))
    }
}

/// Returns whether the words of an event for programs are those of the contract.
fn is_documented(event: &EventData) -> bool {
    match event {
        EventData::Error(crash) => !matches!(crash.kind, CrashKind::Other(_)),
        EventData::TurnEnded(ended) => !matches!(ended.reason, Some(CutOff::Other(_))),
        _ => true,
    }
}

/// The state of the store, as far as the machine knows.
pub(super) struct Stored {
    /// A hash of the record.
    record: Option<u64>,
    listing: Option<Listing>,
    /// The id of the last event.
    last: u64,
    /// The last event before the newest commit.
    last_before: u64,
    marker: Marker,
}

impl Stored {
    pub(super) fn new(listing: Listing, last: u64) -> Self {
        Self { record: None, listing: Some(listing), last, last_before: last, marker: Marker::default() }
    }
}

impl Machine {
    /// Returns the id that the next event gets.
    pub(super) fn next_event_id(&self) -> u64 {
        self.stored.last + 1 + self.draft.events.len() as u64
    }

    /// Returns the draft as a change of the store and as lines for readers; nothing if it is empty.
    pub(super) fn take_commit(&mut self) -> Option<Commit> {
        if self.draft.is_empty() {
            return None;
        }
        self.draft.touched = false;
        let (at_ms, timestamp) = (self.now.wall_ms, self.now.timestamp());
        let listing = self.changed_listing();
        let events = std::mem::take(&mut self.draft.events);
        self.trace_events(&events);
        let marks: Vec<Option<Mark>> = events.iter().map(|event| self.stored.marker.mark(event)).collect();
        let lines: Vec<EventLine> = events
            .into_iter()
            .zip(self.stored.last + 1..)
            .map(|(data, id)| {
                let event = UniversalEvent {
                    id,
                    timestamp,
                    session_id: self.id.clone(),
                    agent: self.record.request.agent.clone(),
                    native_session_id: self.record.native_session_id.clone(),
                    data,
                };
                EventLine { id, json: Bytes::from(serde_json::to_vec(&event).unwrap_or_default()) }
            })
            .collect();
        self.stored.last_before = self.stored.last;
        if let Some(last) = lines.last() {
            self.stored.last = last.id;
            self.record.updated_at_ms = at_ms;
        }
        let change = Change {
            record: self.changed_record(),
            listing,
            events: lines
                .iter()
                .zip(marks)
                .map(|(line, mark)| NewEvent { id: line.id, at_ms, data: line.json.clone(), mark })
                .collect(),
            messages: std::mem::take(&mut self.draft.messages),
            usage: std::mem::take(&mut self.draft.usage),
            ended: Some(self.record.state == SessionState::Ended),
        };
        Some(Commit { change, lines })
    }

    /// Forgets the commit that the store did not take.
    pub(super) fn forget_commit(&mut self) {
        let last = self.stored.last_before;
        self.stored =
            Stored { record: None, listing: None, last, last_before: last, marker: Marker::default() };
    }

    /// Returns the record if it says something new. The time of the last event alone is not worth writing it again.
    fn changed_record(&mut self) -> Option<Bytes> {
        let updated_at_ms = std::mem::take(&mut self.record.updated_at_ms);
        let mut hasher = DefaultHasher::new();
        self.record.to_bytes().hash(&mut hasher);
        self.record.updated_at_ms = updated_at_ms;
        let hash = Some(hasher.finish());
        let changed = self.stored.record != hash;
        self.stored.record = hash;
        changed.then(|| self.record.to_bytes())
    }

    /// Notes a change of the listing alone, which is committed like any other.
    pub(super) fn note_listing(&mut self) {
        if self.stored.listing.as_ref() != Some(&self.record.listing(self.activity())) {
            self.draft.touch();
        }
    }

    fn changed_listing(&mut self) -> Option<Listing> {
        let listing = Some(self.record.listing(self.activity()));
        if self.stored.listing == listing {
            return None;
        }
        self.stored.listing.clone_from(&listing);
        listing
    }

    /// Returns whether the next daemon has to take the session up, to say what became of something.
    fn activity(&self) -> Activity {
        let waits = !self.record.questions.is_empty() || !self.record.permissions.is_empty();
        let is_at_rest = self.turn.is_none()
            && self.record.turn.is_none()
            && self.queue.len() == 0
            && !self.draft.accepts_message()
            && !waits
            && !self.speaking
            && self.record.state != SessionState::Starting
            && self.record.request.webhook.is_none();
        if is_at_rest { Activity::AtRest } else { Activity::UnderWay }
    }
}
