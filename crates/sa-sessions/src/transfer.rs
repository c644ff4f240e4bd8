//! Sessions on the move: a session as lines of JSON, and back.

use crate::log::Line;
use crate::moment::now_ms;
use crate::record::Record;
use crate::{SessionError, Sessions};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use sa_api::sessions::{Session, SessionState, UniversalEvent};
use sa_store::NewEvent;
use serde::{Deserialize, Serialize};

/// The form of exports that this program writes.
const FORM: u32 = 1;
/// Events that are stored at once.
const BATCH: usize = 256;
/// Events that are read at once.
const PAGE: usize = 512;

/// The first line of an export. Each line after it is an event.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    /// Says what the file is.
    sandbox_agent_session: u32,
    session_id: String,
    record: Record,
}

impl Sessions {
    /// A session as lines: its record, then its events up to now.
    pub fn export(
        &self,
        id: &str,
    ) -> Result<impl Stream<Item = Result<Bytes, SessionError>> + Send + use<>, SessionError> {
        let session = self.get(id)?;
        let shared = session.0;
        let head = Head { sandbox_agent_session: FORM, session_id: id.to_owned(), record: shared.record() };
        let last = shared.log.ends().last;
        let head = stream::iter([Ok(line(&serde_json::to_vec(&head).unwrap_or_default()))]);
        let events = stream::try_unfold((shared, 0), move |(shared, after)| async move {
            if after >= last {
                return Ok(None);
            }
            let lines = shared.log.read(after, PAGE).await?;
            let lines: Vec<Line> = lines.into_iter().take_while(|line| line.id <= last).collect();
            let Some(newest) = lines.last().map(|line| line.id) else { return Ok(None) };
            let text: Vec<u8> = lines.iter().flat_map(|event| line(&event.json)).collect();
            Ok(Some((Bytes::from(text), (shared, newest))))
        });
        Ok(head.chain(events))
    }

    /// Makes a session out of an export, under the id it had or under another. Nobody sees anything of it before all of
    /// it is there. Its agent goes on with it if its own history came along, too.
    pub async fn import<S>(&self, mut lines: S, rename: Option<&str>) -> Result<Session, SessionError>
    where
        S: Stream<Item = Result<Bytes, SessionError>> + Send + Unpin,
    {
        let parts = &self.inner().parts;
        let bad = |reason: String| SessionError::Invalid(format!("this is no export of a session: {reason}"));
        let first = lines.next().await.ok_or_else(|| bad("it is empty".to_owned()))??;
        let head: Head = serde_json::from_slice(&first).map_err(|error| bad(format!("line 1: {error}")))?;
        if head.sandbox_agent_session != FORM {
            return Err(bad(format!("its form is {}, known is {FORM}", head.sandbox_agent_session)));
        }
        let id = rename.unwrap_or(&head.session_id).to_owned();
        self.check_new(&id)?;
        let mut import = parts.store.import().await?;
        let (mut batch, mut number, mut expected) = (Vec::new(), 1, None);
        while let Some(text) = lines.next().await {
            number += 1;
            let mut event: UniversalEvent =
                serde_json::from_slice(&text?).map_err(|error| bad(format!("line {number}: {error}")))?;
            if expected.is_some_and(|expected| expected != event.id) {
                return Err(bad(format!("line {number}: event {} is out of order", event.id)));
            }
            expected = Some(event.id + 1);
            event.session_id.clone_from(&id);
            let data = Bytes::from(serde_json::to_vec(&event).unwrap_or_default());
            batch.push(NewEvent { id: event.id, at_ms: now_ms(), data });
            if batch.len() == BATCH {
                import.append(std::mem::take(&mut batch)).await?;
            }
        }
        import.append(batch).await?;
        let mut record = head.record;
        record.turn = None;
        let ended = record.state == SessionState::Ended;
        if !import.finish(&id, record.to_bytes(), ended).await? {
            return Err(SessionError::Exists(id));
        }
        let stored = parts.store.session(&id).await?.ok_or_else(|| SessionError::Unknown(id.clone()))?;
        Ok(self.adopt_stored(stored)?.describe())
    }
}

fn line(json: &[u8]) -> Bytes {
    let mut line = Vec::with_capacity(json.len() + 1);
    line.extend_from_slice(json);
    line.push(b'\n');
    line.into()
}
