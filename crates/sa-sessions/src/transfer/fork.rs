//! A session as the beginning of another.

use super::import::Arriving;
use crate::error::Result;
use crate::handle::SessionHandle;
use crate::log::Ends;
use crate::record::{Activity, HistoryReplay};
use crate::registry::Purpose;
use crate::taking_up::Arrival;
use crate::{SessionError, Sessions, webhooks};
use sa_api::Timestamp;
use sa_api::sessions::{ForkSession, Session};
use uuid::Uuid;

/// Cuts a log off after an event.
fn end_at(ends: Ends, until: Option<u64>) -> Result<Ends> {
    let Some(until) = until else { return Ok(ends) };
    if until < ends.oldest || until > ends.last {
        let (oldest, last) = (ends.oldest, ends.last);
        return Err(SessionError::Invalid(format!(
            "`until` must be the id of an event that is kept: {oldest} to {last}"
        )));
    }
    Ok(Ends { last: until, ..ends })
}

/// Events that are copied at once.
const PAGE: usize = 512;

impl Sessions {
    /// Makes a copy of a session, with what has happened in it, which goes its own way from here.
    pub async fn fork(&self, id: &str, fork: ForkSession) -> Result<Session> {
        let parent = self.get(id).await?.0;
        let of = parent.record();
        if of.native_session_id.is_none() && of.history_replay == HistoryReplay::Done {
            return Err(SessionError::NotStarted(id.to_owned()));
        }
        let mut record = of.forked(id, fork.title, Timestamp::now().as_millis());
        let id = fork.session_id.unwrap_or_else(|| Uuid::now_v7().to_string());
        self.check_new(&id).await?;
        let store = self.store();
        let ends = end_at(parent.log.ends(), fork.until)?;
        if fork.until.is_some() {
            record.forget_later();
        }
        let mut arriving = Arriving::new(&id, &record, store.import().await?);
        let mut after = ends.oldest.saturating_sub(1);
        while after < ends.last {
            let lines = parent.log.read(after, PAGE).await?;
            let Some(last) = lines.last() else { break };
            after = last.id;
            for line in lines.iter().filter(|line| line.id <= ends.last) {
                arriving.line(&line.json).await?;
            }
        }
        for event in arriving.closed(&mut record) {
            arriving.append(event).await?;
        }
        let ends = Ends { oldest: ends.oldest, last: arriving.last(), closed: false };
        let reserved = self.registry().reserve(&id, Purpose::Making).await;
        if !arriving.finish(&record, false).await? {
            return Err(SessionError::Exists(id));
        }
        // Its webhook gets only what is new in it.
        let webhook = record.request.webhook.as_ref().map(|webhook| webhooks::from_there(webhook, ends.last));
        let (env, listing) = (parent.state().env.clone(), record.listing(Activity::UnderWay));
        let session = SessionHandle(self.adopt(&id, Arrival { record, ends, env, webhook, listing }));
        drop(reserved);
        match session.start().await {
            Ok(()) => Ok(session.describe()),
            Err(failure) => {
                self.delete(&id).await?;
                Err(failure.into())
            }
        }
    }
}
