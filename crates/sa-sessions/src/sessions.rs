//! The registry of sessions.

use crate::agent::Pool;
use crate::command::NativeSession;
use crate::error::Result;
use crate::handle::SessionHandle;
use crate::limits::SessionLimits;
use crate::parts::{Parts, Totals};
use crate::registry::{Purpose, Registry};
use crate::reservations::Reservations;
use crate::shared::Shared;
use crate::{SessionError, webhooks};
use sa_config::ConfigStore;
use sa_credentials::Host;
use sa_hub::Hub;
use sa_otlp::Exporter;
use sa_skills::Skills;
use sa_store::{Store, StoreError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Pause between two looks for sessions that need not be kept any longer.
const SWEEPING: Duration = Duration::from_secs(60);
/// Time for owners to stop when the daemon does.
const STOPPING: Duration = Duration::from_secs(2);
/// Time for a session that is deleted to end by itself.
const ENDING: Duration = Duration::from_secs(15);

/// The parts of the sessions.
pub struct SessionsOptions {
    /// The processes of agents.
    pub hub: Hub,
    /// The store of sessions.
    pub store: Store,
    /// The configuration of directories.
    pub configs: ConfigStore,
    /// Puts skills in place.
    pub skills: Skills,
    /// Delivers events to webhooks.
    pub webhooks: sa_webhooks::Client,
    /// Their bounds.
    pub limits: SessionLimits,
    /// The directory of sessions that name none.
    pub workspace: PathBuf,
    /// The machine, with the daemon's environment, from which configurations may take something.
    pub host: Host,
    /// The exporter of spans of turns, if somebody collects them.
    pub telemetry: Option<Exporter>,
    /// Texts that are never exported, such as the daemon's token.
    pub secrets: Vec<String>,
}

/// All sessions. Cloning gives another handle on the same ones.
#[derive(Clone)]
pub struct Sessions(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) parts: Arc<Parts>,
    registry: Registry,
    /// Requests for new sessions that are under way, by the keys that their clients gave them, with their digests. The store lists a
    /// session with the key that it was created with, so keys last as long as their sessions.
    pub(crate) creations: Reservations<String, String>,
    /// Agents, each with a session of its own that an import is about to take over, so that no other import does.
    pub(crate) takeovers: Reservations<(String, String)>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

impl Sessions {
    /// Takes up what the store holds.
    pub async fn open(options: SessionsOptions) -> Result<Self, StoreError> {
        let pool = Pool::new(options.hub.clone(), options.limits.start());
        let inner = Inner {
            parts: Arc::new(Parts { options, pool, totals: Totals::default() }),
            registry: Registry::default(),
            creations: Reservations::default(),
            takeovers: Reservations::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        let sessions = Self(Arc::new(inner));
        sessions.take_up_active().await?;
        sessions.0.tasks.spawn(sessions.clone().sweep());
        Ok(sessions)
    }

    /// Forgets sessions that have been ended for too long, or that there is no more room for, until the daemon stops.
    async fn sweep(self) {
        loop {
            if let Err(error) = self.sweep_once().await {
                tracing::warn!(%error, "old sessions cannot be forgotten");
            }
            let pause = tokio::time::timeout(SWEEPING, self.store().has_grown());
            if self.0.stop.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }

    async fn sweep_once(&self) -> Result<(), StoreError> {
        let store = self.store();
        let due = store.due().await?;
        let going: Vec<Arc<Shared>> = due.iter().filter_map(|id| self.registry().find(id)).collect();
        futures_util::future::join_all(going.iter().map(|shared| webhooks::last_look(shared))).await;
        loop {
            let swept = store.sweep(due.clone()).await?;
            swept.forgotten.iter().for_each(|id| self.forget(id));
            for (id, oldest) in swept.trimmed {
                if let Some(shared) = self.registry().find(&id) {
                    shared.log.trimmed(oldest);
                }
            }
            if !swept.has_more {
                return Ok(());
            }
        }
    }

    fn forget(&self, id: &str) {
        if let Some(shared) = self.registry().remove(id) {
            shared.deletion.end(Ok(()));
            shared.deleted.cancel();
            shared.log.close();
        }
    }

    /// Events that were committed since the daemon runs.
    pub fn events_total(&self) -> u64 {
        self.0.parts.totals.events.load(Ordering::Relaxed)
    }

    /// Turns that were begun since the daemon runs.
    pub fn turns_total(&self) -> u64 {
        self.0.parts.totals.turns.load(Ordering::Relaxed)
    }

    /// Ends a session and forgets it. Deleting one that does not exist is no mistake.
    pub async fn delete(&self, id: &str) -> Result<()> {
        let shared = match self.get(id).await {
            Ok(session) => session.0,
            Err(SessionError::Unknown(_)) => return Ok(()),
            // Nobody can read it, so nobody uses it.
            Err(SessionError::Store(StoreError::Corrupt(_))) => return Ok(self.delete_stored(id).await?),
            Err(error) => return Err(error),
        };
        // A client that comes second must not delete the session that is made under the same id meanwhile.
        if shared.deleted.is_cancelled() || !shared.deletion.begin() {
            return Ok(shared.deletion.outcome().await?);
        }
        let session = SessionHandle(Arc::clone(&shared));
        match tokio::time::timeout(ENDING, session.end(NativeSession::Delete)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(session = id, %error, "a session that is deleted was not terminated first");
            }
            Err(_) => tracing::warn!(session = id, "a session that is deleted did not end in time"),
        }
        shared.stop.cancel();
        shared.stopped.cancelled().await;
        webhooks::last_look(&shared).await;
        if let Err(error) = self.delete_stored(id).await {
            self.take_back(id, &shared, &error).await;
            return Err(error.into());
        }
        Ok(())
    }

    /// Removes a session that has no owner from the store and from memory.
    async fn delete_stored(&self, id: &str) -> Result<(), StoreError> {
        let _reserved = self.registry().reserve(id, Purpose::Moving).await;
        self.store().delete(id).await?;
        self.forget(id);
        Ok(())
    }

    /// Gives a session a new owner that could not be forgotten for this reason, as far as that goes.
    pub(crate) async fn take_back(&self, id: &str, old: &Shared, error: &StoreError) {
        match self.store().session(id).await {
            Ok(Some(stored)) => {
                // Its readers and its webhook continue with the new one.
                old.deleted.cancel();
                old.log.close();
                let env = old.state().env.clone();
                if let Err(error) = self.adopt_stored(stored, env) {
                    tracing::error!(session = id, %error, "a session that could not be deleted cannot be read");
                }
            }
            Ok(None) => self.forget(id),
            Err(error) => {
                tracing::error!(session = id, %error, "a session that could not be deleted cannot be read");
            }
        }
        // Only now: a request that waited must not delete the session that the new owner has.
        old.deletion.end(Err(error.clone()));
    }

    /// Stops everything without a trace in the logs: what the next daemon finds is what it would find after a crash.
    pub async fn shutdown(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        if tokio::time::timeout(STOPPING, self.0.tasks.wait()).await.is_err() {
            tracing::warn!("sessions were still stopping when the time for that was over");
        }
        self.store().close().await;
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.parts.options.store
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }
}
