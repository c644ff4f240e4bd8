//! Sessions from the store into memory: at the start those in which something was under way, all others when somebody asks for them.

use crate::driver::{self, Driver};
use crate::error::Result;
use crate::handle::SessionHandle;
use crate::log::{Ends, Log};
use crate::record::Record;
use crate::registry::{Purpose, Registry};
use crate::session::Machine;
use crate::shared::Shared;
use crate::{SessionError, Sessions, webhooks};
use futures_util::{FutureExt, future};
use sa_api::sessions::{SessionState, WebhookStatus};
use sa_store::{Listing, StoreError, StoredSession};
use std::collections::{BTreeMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time that the daemon waits at its start, and a client at its first request, until sessions say what became of earlier turns.
const RECOVERING: Duration = Duration::from_secs(5);
/// Time for an owner that is to stop to store what it has accepted and to answer its client.
const FINISHING: Duration = Duration::from_secs(1);

/// A session that the store has, on its way into memory.
pub(crate) struct Arrival {
    pub(crate) record: Record,
    pub(crate) ends: Ends,
    /// Variables for the agent's process alone.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) webhook: Option<WebhookStatus>,
    /// The session's entry in the store's list.
    pub(crate) listing: Listing,
}

impl Arrival {
    /// Reads what was stored. No agent runs for it.
    pub(crate) fn read(stored: StoredSession, env: BTreeMap<String, String>) -> Result<Self, StoreError> {
        let mut record = Record::from_bytes(&stored.record)
            .map_err(|error| StoreError::Corrupt(format!("the record of session {}: {error}", stored.id)))?;
        if record.state != SessionState::Ended {
            record.state = SessionState::Interrupted;
        }
        let ends = Ends { oldest: stored.head.oldest, last: stored.head.last, closed: false };
        let webhook = record.request.webhook.as_ref().map(|webhook| {
            let status = stored.webhook.and_then(|cursor| webhooks::restored(webhook, &cursor.state));
            status.unwrap_or_else(|| webhooks::fresh(webhook))
        });
        Ok(Self { record, ends, env, webhook, listing: stored.listing })
    }
}

impl Sessions {
    /// Returns the session of that id, from the store if it is not in memory.
    pub async fn get(&self, id: &str) -> Result<SessionHandle> {
        let session = self.find_or_take_up(id).await?;
        recovered(std::slice::from_ref(&session.0)).await;
        Ok(session)
    }

    async fn find_or_take_up(&self, id: &str) -> Result<SessionHandle> {
        let registry = self.registry();
        if let Some(shared) = registry.find(id) {
            return Ok(SessionHandle(shared));
        }
        // A session exists only once the request that creates it can start the agent.
        if registry.coming().contains(id) {
            return Err(SessionError::Unknown(id.to_owned()));
        }
        let _reserved = registry.reserve(id, Purpose::Moving).await;
        if let Some(shared) = registry.find(id) {
            return Ok(SessionHandle(shared));
        }
        let stored = self.store().session(id).await?;
        let stored = stored.ok_or_else(|| SessionError::Unknown(id.to_owned()))?;
        self.adopt_stored(stored, registry.env(id))
    }

    /// Takes up the sessions in which something was under way when the daemon before this one ended.
    pub(crate) async fn take_up_active(&self) -> Result<(), StoreError> {
        for stored in self.store().active_sessions().await? {
            let id = stored.id.clone();
            if let Err(error) = self.adopt_stored(stored, BTreeMap::new()) {
                tracing::error!(session = id, %error, "a stored session cannot be read; it is left alone");
            }
        }
        recovered(&self.registry().live()).await;
        self.release_skills().await;
        Ok(())
    }

    /// Takes back what was put in place for sessions that are no longer there.
    async fn release_skills(&self) {
        let released = async {
            let open = self.store().open_ids().await.map_err(|error| error.to_string())?;
            let open: HashSet<String> = open.into_iter().collect();
            let skills = &self.inner().parts.options.skills;
            let kept = skills.retain(move |session| open.contains(session)).await;
            kept.map_err(|error| error.to_string())
        };
        if let Err(error) = released.await {
            tracing::warn!(error, "skills of ended sessions are left in place");
        }
    }

    /// Takes up a session that is in the store.
    pub(crate) fn adopt_stored(
        &self,
        stored: StoredSession,
        env: BTreeMap<String, String>,
    ) -> Result<SessionHandle> {
        let id = stored.id.clone();
        Ok(SessionHandle(self.adopt(&id, Arrival::read(stored, env)?)))
    }

    /// Gives a stored session its owner. One that has ended needs none.
    pub(crate) fn adopt(&self, id: &str, arrival: Arrival) -> Arc<Shared> {
        let inner = self.inner();
        let ended = arrival.record.state == SessionState::Ended;
        let ends = Ends { closed: ended, ..arrival.ends };
        let log = Log::new(id, self.store().clone(), ends);
        let is_done = |status: &WebhookStatus| ended && webhooks::is_done(status, ends.last);
        let delivered = arrival.webhook.as_ref().is_none_or(is_done);
        let (shared, inbox) = Shared::new(id, log, &arrival, inner.stop.child_token());
        let shared = Arc::new(shared);
        match arrival.record.request.webhook.clone() {
            Some(webhook) if !delivered => {
                let (shared, parts) = (Arc::clone(&shared), Arc::clone(&inner.parts));
                inner.tasks.spawn(webhooks::run(shared, parts, webhook, inner.stop.child_token()));
            }
            _ => shared.delivered.cancel(),
        }
        if ended {
            shared.stopped.cancel();
            self.registry().add_ended(&shared);
            return shared;
        }
        self.registry().add_live(&shared);
        let machine = Machine::new(driver::setup(&shared, &inner.parts, arrival), driver::now());
        let owner = Driver::new(Arc::clone(&shared), Arc::clone(&inner.parts), machine, inbox);
        let (sessions, owned) = (self.clone(), Arc::clone(&shared));
        inner.tasks.spawn(async move { run_owner(sessions.registry(), &owned, owner.run()).await });
        shared
    }
}

/// Waits until the sessions show their waiting messages, and no turn or question that ended with the daemon before.
async fn recovered(sessions: &[Arc<Shared>]) {
    let recovered = async {
        let is_waiting = |session: &&Arc<Shared>| !session.recovered.is_cancelled();
        for session in sessions.iter().filter(is_waiting) {
            let (recovered, stopped) = (session.recovered.cancelled(), session.stopped.cancelled());
            future::select(pin!(recovered), pin!(stopped)).await;
        }
    };
    if tokio::time::timeout(RECOVERING, recovered).await.is_err() {
        tracing::warn!("sessions still take up what they did when the daemon ended");
    }
}

/// Runs the owner of a session, and then lets go of a session that has ended, or that lost its owner by a panic.
async fn run_owner(registry: &Registry, shared: &Arc<Shared>, owner: impl Future<Output = ()>) {
    let running = run_until(owner, shared.stop.clone(), shared.stopped.clone());
    match AssertUnwindSafe(running).catch_unwind().await {
        Ok(()) => registry.retire(shared),
        Err(_) => {
            tracing::error!(session = %shared.id, "the session failed; the next request takes it up again");
            registry.abandon(shared);
        }
    }
}

/// Runs an owner until it is done. Once `stop` is cancelled, it has a moment to finish what it does. Whatever ends it, a panic
/// included, it has then stopped: others wait for that.
async fn run_until(owner: impl Future<Output = ()>, stop: CancellationToken, stopped: CancellationToken) {
    let _stopped = stopped.drop_guard();
    let time_is_over = async {
        stop.cancelled().await;
        tokio::time::sleep(FINISHING).await;
    };
    future::select(pin!(owner), pin!(time_is_over)).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_owner_finishes_what_it_does_unless_that_takes_too_long() {
        let stop = CancellationToken::new();
        stop.cancel();
        let finished = CancellationToken::new();
        let owner = async {
            tokio::time::sleep(FINISHING / 2).await;
            finished.cancel();
            std::future::pending().await
        };
        let stopped = CancellationToken::new();
        run_until(owner, stop, stopped.clone()).await;
        assert!(finished.is_cancelled() && stopped.is_cancelled());
    }

    #[tokio::test]
    async fn a_session_whose_owner_panics_is_taken_up_by_the_next_request() {
        let env = BTreeMap::from([("TOKEN".to_owned(), "x".to_owned())]);
        let (shared, _inbox) = Shared::for_test(env.clone()).await;
        let registry = Registry::default();
        registry.add_live(&shared);
        run_owner(&registry, &shared, async { panic!("a bug") }).await;
        assert!(shared.stopped.is_cancelled(), "others wait for that");
        assert!(registry.find("s").is_none());
        assert_eq!(registry.env("s"), env, "the next owner needs them");
        assert!(
            shared.log.ends().closed && shared.deleted.is_cancelled(),
            "readers and webhooks wait no more"
        );
    }
}
