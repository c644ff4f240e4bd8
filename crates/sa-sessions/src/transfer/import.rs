//! Lines as a session.

use super::unfinished::{Unfinished, omission};
use super::{FORM, Head};
use crate::moment::now_ms;
use crate::parts::Parts;
use crate::policy::Policy;
use crate::record::{Activity, Record};
use crate::registry::Purpose;
use crate::transcript::Marker;
use crate::{SessionError, Sessions};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use sa_api::Timestamp;
use sa_api::sessions::{EventData, Session, SessionState, UniversalEvent};
use sa_store::{Import, NewEvent};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Events that are stored at once, and bytes of them.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

impl Sessions {
    /// Makes a session out of an export, under the id it had or under another. Nobody sees anything of it before all of
    /// it is there. Its agent goes on with its own session if that came along and nobody else uses it; else it is told what
    /// was said.
    pub async fn import<S>(&self, mut lines: S, rename: Option<&str>) -> Result<Session, SessionError>
    where
        S: Stream<Item = Result<Bytes, SessionError>> + Send + Unpin,
    {
        let first = lines.next().await.ok_or_else(|| bad("it is empty"))??;
        let head: Head = serde_json::from_slice(&first).map_err(|error| bad(format!("line 1: {error}")))?;
        check(&head)?;
        let id = rename.unwrap_or(&head.session_id).to_owned();
        self.check_new(&id).await?;
        let store = &self.inner().parts.store;
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
        let claim = Claim::take(&self.inner().parts, &record);
        if record.native_session_id.is_some() && (claim.is_none() || self.speaks_natively(&record).await?) {
            record.native_session_id = None;
            record.owes_history = true;
        }
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

    /// Returns whether a stored session already uses the same native session of the agent.
    async fn speaks_natively(&self, record: &Record) -> Result<bool, SessionError> {
        let Some(native) = &record.native_session_id else { return Ok(false) };
        Ok(self.inner().parts.store.has_native(&record.request.agent, native).await?)
    }
}

/// The right to take over an agent's own session.
struct Claim {
    parts: Arc<Parts>,
    of: (String, String),
}

impl Claim {
    /// Takes it, unless there is nothing to take over or another import has it.
    fn take(parts: &Arc<Parts>, record: &Record) -> Option<Self> {
        let of = (record.request.agent.clone(), record.native_session_id.clone()?);
        let is_free = parts.claimed.lock().insert(of.clone());
        is_free.then(|| Self { parts: Arc::clone(parts), of })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.parts.claimed.lock().remove(&self.of);
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

    pub(super) async fn line(&mut self, text: &[u8]) -> Result<(), SessionError> {
        self.number += 1;
        let number = self.number;
        let mut event: UniversalEvent =
            serde_json::from_slice(text).map_err(|error| bad(format!("line {number}: {error}")))?;
        let follows = if self.last == 0 { event.id > 0 } else { event.id.checked_sub(1) == Some(self.last) };
        if !follows || i64::try_from(event.id).is_err() {
            return Err(bad(format!("line {number}: event {} is out of order", event.id)));
        }
        event.session_id.clone_from(&self.session);
        self.push(event).await
    }

    /// Adds what has come to an end by the import itself.
    pub(super) async fn append(&mut self, data: EventData) -> Result<(), SessionError> {
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

    async fn push(&mut self, event: UniversalEvent) -> Result<(), SessionError> {
        self.last = event.id;
        let data = Bytes::from(serde_json::to_vec(&event).unwrap_or_default());
        self.unfinished.read(event.id, &event.data, data.len());
        self.bytes += data.len();
        let mark = self.marker.mark(&event.data);
        self.batch.push(NewEvent { id: event.id, at_ms: now_ms(), data, mark });
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), SessionError> {
        self.bytes = 0;
        Ok(self.import.append(std::mem::take(&mut self.batch)).await?)
    }

    pub(super) async fn finish(mut self, record: &Record, ended: bool) -> Result<bool, SessionError> {
        self.flush().await?;
        let listing = record.listing(if ended && record.request.webhook.is_none() {
            Activity::AtRest
        } else {
            Activity::UnderWay
        });
        Ok(self.import.finish(&self.session, record.to_bytes(), listing, ended).await?)
    }
}

fn check(head: &Head) -> Result<(), SessionError> {
    if head.sandbox_agent_session != FORM {
        return Err(bad(format!("its form is {}, known is {FORM}", head.sandbox_agent_session)));
    }
    if !Path::new(&head.record.cwd).is_absolute() {
        return Err(bad(format!("its directory '{}' is not absolute", head.record.cwd)));
    }
    let policy = Policy::new(&head.record.request.policy);
    policy.and_then(|policy| policy.with_allowances(&head.record.allowances)).map(drop).map_err(bad)
}

fn bad(reason: impl std::fmt::Display) -> SessionError {
    SessionError::Invalid(format!("this is no export of a session: {reason}"))
}
