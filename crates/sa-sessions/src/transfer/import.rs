//! Lines as a session.

use super::unfinished::{Unfinished, omission};
use super::{FORM, Head};
use crate::error::Result;
use crate::policy::Policy;
use crate::record::{HistoryReplay, Record};
use crate::registry::Purpose;
use crate::reservations::Reservation;
use crate::transcript::Marker;
use crate::{SessionError, Sessions};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use sa_api::Timestamp;
use sa_api::sessions::{EventData, Session, SessionState, UniversalEvent};
use sa_store::{Import, NewEvent};
use std::collections::BTreeMap;
use std::path::Path;

/// Events that are stored at once, and bytes of them.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

/// The largest id of an imported event: half of those that the store has. The rest is for what happens next.
const LAST_ID: u64 = 1 << 39;

impl Sessions {
    /// Makes a session out of an export, under the id it had or under another. Nobody sees anything of it before all of
    /// it is there. Its agent continues its own session if that came along and nobody else uses it. Otherwise it gets the
    /// conversation as text.
    pub async fn import<S>(&self, mut lines: S, rename: Option<&str>) -> Result<Session>
    where
        S: Stream<Item = Result<Bytes>> + Send + Unpin,
    {
        let first = lines.next().await.ok_or_else(|| bad("it is empty"))??;
        let head = read_head(&first)?;
        let id = rename.unwrap_or(&head.session_id).to_owned();
        self.check_new(&id).await?;
        let store = self.store();
        let mut arriving = Arriving::new(&id, &head.record, store.import().await?);
        while let Some(text) = lines.next().await {
            arriving.line(&text?).await?;
        }
        if arriving.last != head.last_event_id {
            let (found, expected) = (arriving.last, head.last_event_id);
            return Err(bad(format!("it is cut off: its last event is {found}, not {expected}")));
        }
        let mut record = head.record;
        // The key of a request belongs to the daemon that it was sent to.
        record.created_by = None;
        record.queue_held = false;
        let ended = record.state == SessionState::Ended;
        let mut closing = arriving.closed(&mut record);
        if !ended {
            record.state = SessionState::Interrupted;
            closing.extend(omission(&head.omitted));
        }
        // Held until the session is there for everybody to see: another import of the same export looks for it.
        let _reserved_native = self.take_over(&mut record).await?;
        for event in closing {
            arriving.append(event).await?;
        }
        let _reserved = self.registry().reserve(&id, Purpose::Making).await;
        if !arriving.finish(&record, ended).await? {
            return Err(SessionError::Exists(id));
        }
        let stored = store.session(&id).await?.ok_or_else(|| SessionError::Unknown(id.clone()))?;
        Ok(self.adopt_stored(stored, BTreeMap::new())?.describe())
    }

    /// Takes over the agent's own session, unless another one uses it. Then the agent gets the conversation as text.
    async fn take_over(&self, record: &mut Record) -> Result<Option<Reservation<'_, (String, String), ()>>> {
        let Some(native) = record.native_session_id.clone() else { return Ok(None) };
        let native = (record.request.agent.clone(), native);
        let reserved = self.inner().takeovers.reserve(&native, (), |()| Err(())).await.ok();
        if reserved.is_none() || self.store().has_native(&native.0, &native.1).await? {
            record.native_session_id = None;
            record.history_replay = HistoryReplay::Due;
        }
        Ok(reserved)
    }
}

/// The events of an import, on their way into the store.
pub(super) struct Arriving {
    session: String,
    agent: String,
    import: Import,
    batch: Vec<NewEvent>,
    bytes: usize,
    number: usize,
    last: u64,
    unfinished: Unfinished,
    marker: Marker,
}

impl Arriving {
    pub(super) fn new(session: &str, record: &Record, import: Import) -> Self {
        Self {
            session: session.to_owned(),
            agent: record.request.agent.clone(),
            import,
            batch: Vec::new(),
            bytes: 0,
            number: 1,
            last: 0,
            unfinished: Unfinished::default(),
            marker: Marker::default(),
        }
    }

    pub(super) async fn line(&mut self, text: &[u8]) -> Result<()> {
        self.number += 1;
        let number = self.number;
        let mut event: UniversalEvent =
            serde_json::from_slice(text).map_err(|error| bad(format!("line {number}: {error}")))?;
        let follows = if self.last == 0 { event.id > 0 } else { event.id.checked_sub(1) == Some(self.last) };
        if !follows || event.id > LAST_ID {
            return Err(bad(format!("line {number}: event {} is out of order", event.id)));
        }
        event.session_id.clone_from(&self.session);
        self.push(event).await
    }

    /// Adds what has come to an end by the import itself.
    pub(super) async fn append(&mut self, data: EventData) -> Result<()> {
        self.push(UniversalEvent {
            id: self.last + 1,
            timestamp: Timestamp::now(),
            session_id: self.session.clone(),
            agent: self.agent.clone(),
            native_session_id: None,
            data,
        })
        .await
    }

    /// The ends of what was under way.
    pub(super) fn closed(&mut self, record: &mut Record) -> Vec<EventData> {
        std::mem::take(&mut self.unfinished).close(record)
    }

    pub(super) fn last(&self) -> u64 {
        self.last
    }

    async fn push(&mut self, event: UniversalEvent) -> Result<()> {
        self.last = event.id;
        let data = Bytes::from(serde_json::to_vec(&event).unwrap_or_default());
        self.unfinished.read(event.id, &event.data, data.len());
        self.bytes += data.len();
        let mark = self.marker.mark(&event.data);
        self.batch.push(NewEvent { id: event.id, at_ms: Timestamp::now().as_millis(), data, mark });
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        Ok(self.import.append(std::mem::take(&mut self.batch)).await?)
    }

    pub(super) async fn finish(mut self, record: &Record, ended: bool) -> Result<bool> {
        self.flush().await?;
        let listing = record.listing(record.activity());
        Ok(self.import.finish(&self.session, record.to_bytes(), listing, ended).await?)
    }
}

pub(super) fn read_head(line: &[u8]) -> Result<Head> {
    let head: Head = serde_json::from_slice(line).map_err(|error| bad(format!("line 1: {error}")))?;
    if head.sandbox_agent_session != FORM {
        return Err(bad(format!("its form is {}, known is {FORM}", head.sandbox_agent_session)));
    }
    if !Path::new(&head.record.cwd).is_absolute() {
        return Err(bad(format!("its directory '{}' is not absolute", head.record.cwd)));
    }
    let policy = Policy::new(&head.record.request.policy);
    policy.and_then(|policy| policy.with_allowances(&head.record.allowances)).map_err(bad)?;
    Ok(head)
}

fn bad(reason: impl std::fmt::Display) -> SessionError {
    SessionError::Invalid(format!("this is no export of a session: {reason}"))
}
