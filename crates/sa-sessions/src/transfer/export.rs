//! A session as lines.

use super::{FORM, Head, secrets};
use crate::error::Result;
use crate::log::EventLine;
use crate::{SessionError, Sessions};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};

/// Events that are read at once.
const PAGE: usize = 512;

impl Sessions {
    /// A session as lines: its record without secrets, then its events up to now.
    pub async fn export(&self, id: &str) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<>> {
        let session = self.get(id).await?;
        let shared = session.0;
        let mut record = shared.record();
        let omitted = secrets::take_out(&mut record);
        record.created_by = None;
        let ends = shared.log.ends();
        let last = ends.last;
        let head = Head {
            sandbox_agent_session: FORM,
            session_id: id.to_owned(),
            last_event_id: last,
            omitted,
            record,
        };
        let head = stream::iter([Ok(line(&serde_json::to_vec(&head).unwrap_or_default()))]);
        let start = ends.oldest.saturating_sub(1);
        let events = stream::try_unfold((shared, start), move |(shared, after)| async move {
            if after >= last {
                return Ok(None);
            }
            let lines = shared.log.read(after, PAGE).await?;
            if lines.first().is_none_or(|first| first.id != after + 1) {
                let reason = "events left the log while it was exported; export it again";
                return Err(SessionError::Invalid(reason.to_owned()));
            }
            let lines: Vec<EventLine> = lines.into_iter().take_while(|line| line.id <= last).collect();
            let Some(newest) = lines.last().map(|line| line.id) else { return Ok(None) };
            let text: Vec<u8> = lines.iter().flat_map(|event| line(&event.json)).collect();
            Ok(Some((Bytes::from(text), (shared, newest))))
        });
        Ok(head.chain(events))
    }
}

fn line(json: &[u8]) -> Bytes {
    let mut line = Vec::with_capacity(json.len() + 1);
    line.extend_from_slice(json);
    line.push(b'\n');
    line.into()
}
