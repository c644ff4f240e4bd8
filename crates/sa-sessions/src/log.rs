//! A session's log as readers see it: what is committed, the newest of it in memory, the rest in the store.

use crate::Verdict;
use crate::error::Result;
use crate::event_filter::with_type;
use bytes::Bytes;
use parking_lot::Mutex;
use sa_api::sessions::{EventData, UniversalEvent};
use sa_journal::{Entry, Gap, Ring, Step};
use sa_store::{Direction, Store, StoredEvent, TranscriptSlice};
use std::sync::Arc;
use tokio::sync::watch;

/// The part of a log that is kept in memory, so that readers who keep up need no database.
const TAIL_BYTES: usize = 64 * 1024;
/// Bytes of the newest commit kept in memory, even beyond the tail's limit. Readers wake after each commit, and would otherwise
/// read it back from the store at once.
const COMMIT_BYTES: usize = 1024 * 1024;
/// The most that a reader takes from the store at once.
const PAGE_EVENTS: usize = 512;
const PAGE_BYTES: usize = 1024 * 1024;

/// One event as it is stored and sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// The event's id.
    pub id: u64,
    /// The JSON of the event.
    pub json: Bytes,
}

impl Entry for EventLine {
    fn first(&self) -> u64 {
        self.id
    }

    fn cost(&self) -> usize {
        self.json.len()
    }
}

/// The ends of a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) oldest: u64,
    pub(crate) last: u64,
    /// Nothing will be appended any more.
    pub(crate) closed: bool,
}

/// The committed events of a session.
pub(crate) struct Log {
    session: String,
    store: Store,
    /// The newest events.
    tail: Mutex<Ring<EventLine>>,
    ends: watch::Sender<Ends>,
}

impl Log {
    pub(crate) fn new(session: &str, store: Store, ends: Ends) -> Self {
        let tail = Mutex::new(Ring::new(TAIL_BYTES));
        Self { session: session.to_owned(), store, tail, ends: watch::Sender::new(ends) }
    }

    pub(crate) fn ends(&self) -> Ends {
        *self.ends.borrow()
    }

    /// Shows readers what has been committed.
    pub(crate) fn publish(&self, lines: Vec<EventLine>, oldest: u64) {
        let Some(last) = lines.last().map(|line| line.id) else { return };
        {
            let mut tail = self.tail.lock();
            let new: usize = lines.iter().map(EventLine::cost).sum();
            tail.set_limit(new.clamp(TAIL_BYTES, COMMIT_BYTES));
            for line in lines {
                tail.append(line);
            }
        }
        self.ends.send_modify(|ends| (ends.oldest, ends.last) = (ends.oldest.max(oldest), last));
    }

    /// Notes that the events before that one are no longer kept.
    pub(crate) fn trimmed(&self, oldest: u64) {
        self.ends.send_modify(|ends| ends.oldest = ends.oldest.max(oldest));
    }

    /// Says that nothing will be appended any more.
    pub(crate) fn close(&self) {
        self.ends.send_modify(|ends| ends.closed = true);
    }

    /// Some of the events after that id, from memory if they are there.
    pub(crate) async fn read(&self, after: u64, limit: usize) -> Result<Vec<EventLine>> {
        {
            let tail = self.tail.lock();
            if (1..=after + 1).contains(&tail.oldest()) {
                return Ok(tail.entries_after(after).take(limit).cloned().collect());
            }
        }
        let slice = self.store.events(&self.session, after, limit.min(PAGE_EVENTS), PAGE_BYTES).await?;
        let line = |event: StoredEvent| EventLine { id: event.id, json: with_type(event.data) };
        Ok(slice.events.into_iter().map(line).collect())
    }

    /// Messages of the transcript, those after a position in that direction.
    pub(crate) async fn transcript(
        &self,
        after: Option<u64>,
        direction: Direction,
        limit: usize,
        max_bytes: usize,
    ) -> Result<TranscriptSlice> {
        Ok(self.store.transcript(&self.session, after, direction, limit, max_bytes).await?)
    }

    /// Returns how a question or permission was decided the last time, if it was; looked up in the whole log.
    pub(crate) async fn find_verdict(&self, id: &str) -> Result<Option<Verdict>> {
        let mut verdict = None;
        let found = self.search(id, |data| {
            match data {
                EventData::QuestionResolved(resolved) if resolved.id == id => {
                    verdict = Some(Verdict::Question(resolved));
                }
                EventData::PermissionResolved(resolved) if resolved.id == id => {
                    verdict = Some(Verdict::Permission(resolved));
                }
                _ => {}
            }
            false
        });
        found.await?;
        Ok(verdict)
    }

    /// Returns whether the message of that id has begun a turn; looked up in the whole log.
    pub(crate) async fn has_begun_turn(&self, message_id: &str) -> Result<bool> {
        let begins = |data| matches!(data, EventData::TurnStarted(turn) if turn.message_id.as_deref() == Some(message_id));
        self.search(message_id, begins).await
    }

    /// Reads all events after that one, each with the number of its bytes. One that cannot be read is left out.
    pub(crate) async fn scan(&self, mut after: u64, mut read: impl FnMut(EventData, usize)) -> Result<()> {
        loop {
            let lines = self.read(after, PAGE_EVENTS).await?;
            let Some(last) = lines.last() else { return Ok(()) };
            after = last.id;
            for line in &lines {
                if let Ok(event) = UniversalEvent::from_json(&line.json) {
                    read(event.data, line.json.len());
                }
            }
        }
    }

    /// Searches the whole log for an event that contains this text, until `is_found` says that it is the one.
    async fn search(&self, text: &str, mut is_found: impl FnMut(EventData) -> bool) -> Result<bool> {
        let finder = memchr::memmem::Finder::new(text);
        let mut after = 0;
        loop {
            let lines = self.read(after, PAGE_EVENTS).await?;
            let Some(last) = lines.last() else { return Ok(false) };
            after = last.id;
            let with_text = lines.iter().filter(|line| finder.find(&line.json).is_some());
            let mut events = with_text.filter_map(|line| UniversalEvent::from_json(&line.json).ok());
            if events.any(|event| is_found(event.data)) {
                return Ok(true);
            }
        }
    }
}

/// A reader: a cursor into a session's log.
pub struct Reader {
    log: Arc<Log>,
    ends: watch::Receiver<Ends>,
    after: u64,
}

impl Reader {
    pub(crate) fn new(log: Arc<Log>, after: u64) -> Self {
        let ends = log.ends.subscribe();
        Self { log, ends, after }
    }

    /// Id of the event that was read last, or where reading began.
    pub fn cursor(&self) -> u64 {
        self.after
    }

    /// Waits until there is more to read; false if there never will be.
    pub(crate) async fn more(mut self) -> bool {
        loop {
            let ends = *self.ends.borrow_and_update();
            if self.after < ends.last {
                return true;
            }
            if ends.closed || self.ends.changed().await.is_err() {
                return false;
            }
        }
    }

    /// The next events, once there are some; nothing when the session has ended and all was read.
    pub async fn step(&mut self) -> Result<Option<Step<Vec<EventLine>>>> {
        loop {
            let ends = *self.ends.borrow_and_update();
            if self.after > ends.last {
                // A cursor of another session, or of one that was imported again.
                self.after = ends.oldest.saturating_sub(1);
                return Ok(Some(Step::Gap(Gap { oldest: ends.oldest, newest: ends.last, lost: None })));
            }
            if self.after < ends.last {
                let mut lines = self.log.read(self.after, PAGE_EVENTS).await?;
                // The store may be ahead of what the owner has shown.
                lines.retain(|line| line.id <= ends.last);
                if let Some(first) = lines.first().filter(|first| first.id > self.after + 1) {
                    let (oldest, newest) = (first.id, ends.last);
                    self.after = oldest - 1;
                    return Ok(Some(Step::Gap(Gap { oldest, newest, lost: None })));
                }
                if let Some(last) = lines.last() {
                    self.after = last.id;
                    return Ok(Some(Step::Entry(lines)));
                }
            }
            if ends.closed || self.ends.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::SessionError;
    use sa_store::StoreOptions;

    #[tokio::test]
    async fn a_verdict_that_cannot_be_read_is_not_taken_for_one_that_does_not_exist() {
        let store = Store::in_memory(StoreOptions::default()).await.unwrap();
        let log = Log::new("s", store.clone(), Ends { oldest: 1, last: 3, closed: false });
        store.close().await;
        assert!(matches!(log.find_verdict("ask").await, Err(SessionError::ShuttingDown)));
    }
}
