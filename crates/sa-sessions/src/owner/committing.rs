//! From a draft of changes to the store, to readers, to the agent: in this order.

use super::Owner;
use crate::SessionError;
use crate::agent::RpcError;
use crate::log::Line;
use crate::moment::now_ms;
use crate::record::Activity;
use crate::shared::Shown;
use crate::transcript::Marker;
use bytes::Bytes;
use sa_api::Timestamp;
use sa_api::sessions::{CrashKind, CutOff, EventData, SessionState, UniversalEvent};
use sa_store::{Change, Listing, Mark, MessageChange, NewEvent, StoreError, UsageNote};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Pause before the store is tried again, when the disk is full or the like.
const RETRY: Duration = Duration::from_secs(1);

/// Changes that are not committed yet.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) events: Vec<EventData>,
    pub(super) messages: Vec<MessageChange>,
    pub(super) usage: Vec<UsageNote>,
    /// Answers to the agent's requests, sent after the commit.
    pub(super) replies: Vec<(String, Result<Value, RpcError>)>,
    touched: bool,
}

impl Draft {
    pub(super) fn event(&mut self, event: EventData) {
        debug_assert!(is_documented(&event), "{event:?} has a word that the documentation does not list");
        self.events.push(event);
    }

    /// The record has changed.
    pub(super) fn touch(&mut self) {
        self.touched = true;
    }

    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.messages.is_empty() && !self.touched
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

impl Owner {
    /// Commits the draft however long that takes: what an agent has said cannot be taken back. Meanwhile the agent is
    /// not read, and clients are told why nothing is done for them, also the one whose request led here.
    pub(super) async fn commit(&mut self) {
        self.settle_if_live();
        let Some((change, lines)) = self.prepare() else { return self.send_replies().await };
        loop {
            match self.parts.store.commit(&self.shared.id, change.clone()).await {
                Ok(committed) => {
                    if self.shared.stalled.send_if_modified(|stalled| stalled.take().is_some()) {
                        // The agent was not read meanwhile, which is no silence of its own.
                        self.last_heard = tokio::time::Instant::now();
                    }
                    self.published(lines, committed.oldest, change.record.is_some());
                    return self.send_replies().await;
                }
                Err(error @ (StoreError::Full | StoreError::Io(_))) => {
                    tracing::error!(session = %self.shared.id, %error, "events cannot be stored; trying again");
                    self.shared.stalled.send_replace(Some(error.clone()));
                    self.refuse_until_retry(&error).await;
                }
                Err(error) => return self.give_up(error),
            }
        }
    }

    /// The store will never take this. Nobody can go on with the session; it can be read as far as it is, and deleted.
    fn give_up(&mut self, error: StoreError) {
        tracing::error!(session = %self.shared.id, %error, "events cannot be stored; the session is given up");
        self.link = None;
        self.turn = None;
        self.asked.clear();
        self.queue.take();
        self.draft = Draft::default();
        self.record.state = SessionState::Interrupted;
        self.shared.show(&self.record, Vec::new());
        self.shared.stalled.send_replace(Some(error));
        self.done = true;
    }

    /// Commits the draft, or forgets it and says why.
    pub(super) async fn try_commit(&mut self) -> Result<(), SessionError> {
        let Some((change, lines)) = self.prepare() else { return Ok(()) };
        let changed = change.record.is_some();
        match self.parts.store.commit(&self.shared.id, change).await {
            Ok(committed) => {
                self.published(lines, committed.oldest, changed);
                self.send_replies().await;
                Ok(())
            }
            Err(error) => {
                self.stored_record = None;
                self.stored_listing = None;
                self.marker = Marker::default();
                Err(error.into())
            }
        }
    }

    /// The draft as a change of the store and as lines for readers; nothing if it is empty.
    fn prepare(&mut self) -> Option<(Change, Vec<Line>)> {
        if self.draft.is_empty() {
            return None;
        }
        let now = now_ms();
        let timestamp = Timestamp::from_millis(now);
        let first = self.shared.log.ends().last + 1;
        self.draft.touched = false;
        let events = std::mem::take(&mut self.draft.events);
        self.trace_events(&events, now);
        let marks: Vec<Option<Mark>> = events.iter().map(|event| self.marker.mark(event)).collect();
        let lines: Vec<Line> = events
            .into_iter()
            .zip(first..)
            .map(|(data, id)| {
                let event = UniversalEvent {
                    id,
                    timestamp,
                    session_id: self.shared.id.clone(),
                    agent: self.record.request.agent.clone(),
                    native_session_id: self.record.native_session_id.clone(),
                    data,
                };
                Line { id, json: Bytes::from(serde_json::to_vec(&event).unwrap_or_default()) }
            })
            .collect();
        if !lines.is_empty() {
            self.record.updated_at_ms = now;
        }
        let change = Change {
            record: self.changed_record(),
            listing: self.changed_listing(),
            events: lines
                .iter()
                .zip(marks)
                .map(|(line, mark)| NewEvent { id: line.id, at_ms: now, data: line.json.clone(), mark })
                .collect(),
            messages: std::mem::take(&mut self.draft.messages),
            usage: std::mem::take(&mut self.draft.usage),
            ended: Some(self.record.state == SessionState::Ended),
        };
        Some((change, lines))
    }

    /// The record, if it says something new beside when the last event was: that does not make it worth writing again.
    fn changed_record(&mut self) -> Option<Bytes> {
        let updated_at_ms = std::mem::take(&mut self.record.updated_at_ms);
        let mut hasher = DefaultHasher::new();
        self.record.to_bytes().hash(&mut hasher);
        self.record.updated_at_ms = updated_at_ms;
        let stored = Some(hasher.finish());
        let changed = self.stored_record != stored;
        self.stored_record = stored;
        changed.then(|| self.record.to_bytes())
    }

    /// Notes a change of the listing alone, which is committed like any other.
    pub(super) fn note_listing(&mut self) {
        if self.stored_listing.as_ref() != Some(&self.record.listing(self.activity())) {
            self.draft.touch();
        }
    }

    fn changed_listing(&mut self) -> Option<Listing> {
        let listing = Some(self.record.listing(self.activity()));
        if self.stored_listing == listing {
            return None;
        }
        self.stored_listing.clone_from(&listing);
        listing
    }

    /// Says if the next daemon has to take the session up: it would have to say what became of something.
    fn activity(&self) -> Activity {
        let waits = !self.record.questions.is_empty() || !self.record.permissions.is_empty();
        let accepts = |change: &MessageChange| matches!(change, MessageChange::Accept(_));
        let is_at_rest = self.turn.is_none()
            && self.record.turn.is_none()
            && self.queue.len() == 0
            && !self.draft.messages.iter().any(accepts)
            && !waits
            && !self.speaking
            && self.record.state != SessionState::Starting
            && self.record.request.webhook.is_none();
        if is_at_rest { Activity::AtRest } else { Activity::UnderWay }
    }

    /// Shows what is committed.
    fn published(&self, lines: Vec<Line>, oldest: u64, changed: bool) {
        self.parts.totals.events.fetch_add(lines.len() as u64, Ordering::Relaxed);
        let record = if changed {
            Shown::Changed(&self.record)
        } else {
            Shown::Touched { at_ms: self.record.updated_at_ms }
        };
        self.shared.publish(lines, oldest, record, self.queue.describe());
    }

    async fn send_replies(&mut self) {
        for (request, outcome) in std::mem::take(&mut self.draft.replies) {
            if let Some(link) = &self.link
                && let Err(error) = link.connection.answer(&request, &outcome).await
            {
                // The agent's end, which is about to be heard of.
                tracing::debug!(session = %self.shared.id, %error, "an answer did not reach the agent");
            }
        }
    }

    async fn refuse_until_retry(&mut self, error: &StoreError) {
        let retry = tokio::time::sleep(RETRY);
        tokio::pin!(retry);
        loop {
            tokio::select! {
                () = &mut retry => return,
                Some(command) = self.commands.recv() => command.fail(error.clone().into()),
                Some(urgent) = self.urgent.recv() => urgent.fail(error.clone().into()),
            }
        }
    }

    fn settle_if_live(&mut self) {
        if !matches!(self.record.state, SessionState::Ended | SessionState::Starting) {
            self.settle();
        }
    }
}
