//! The registry of sessions.

use crate::agent::Pool;
use crate::creations::Creations;
use crate::handle::SessionHandle;
use crate::limits::SessionLimits;
use crate::log::{Ends, Log};
use crate::owner::{Owner, OwnerParts};
use crate::parts::{Parts, Totals};
use crate::policy::Policy;
use crate::record::Record;
use crate::shared::Shared;
use crate::{SessionError, webhooks};
use sa_api::sessions::{SessionState, WebhookStatus};
use sa_credentials::Host;
use sa_files::ConfigStore;
use sa_hub::Hub;
use sa_skills::Skills;
use sa_store::{Store, StoreError, StoredSession};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Commands that may wait for an owner. Each caller sends one and waits for its answer.
const COMMANDS: usize = 64;
/// Pause between two looks for sessions that need not be kept any longer.
const SWEEPING: Duration = Duration::from_secs(60);
/// How long owners have to stop when the daemon does.
const STOPPING: Duration = Duration::from_secs(2);
/// How long the daemon waits at its start until sessions say what became of the turns that ran before.
const RECOVERING: Duration = Duration::from_secs(5);
/// How long a session that is deleted has to end by itself.
const ENDING: Duration = Duration::from_secs(15);

/// What the sessions are made of.
pub struct SessionsOptions {
    /// Where agents run.
    pub hub: Hub,
    /// Where sessions are kept.
    pub store: Store,
    /// The configuration of directories.
    pub configs: ConfigStore,
    /// Puts skills in place.
    pub skills: Skills,
    /// Delivers events to webhooks.
    pub webhooks: sa_webhooks::Client,
    /// Their bounds.
    pub limits: SessionLimits,
    /// Where sessions work that name no directory.
    pub workspace: PathBuf,
    /// The machine, with the daemon's environment, from which configurations may take something.
    pub host: Host,
}

/// All sessions. Cloning gives another handle on the same ones.
#[derive(Clone)]
pub struct Sessions(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) parts: Arc<Parts>,
    pub(crate) workspace: PathBuf,
    registry: Mutex<HashMap<String, Arc<Shared>>>,
    /// Requests for new sessions, by the keys that their clients gave them.
    pub(crate) creations: Creations,
    tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

impl Sessions {
    /// Takes up what the store holds.
    pub async fn open(options: SessionsOptions) -> Result<Self, StoreError> {
        let parts = Parts {
            catalogue: options.hub.catalogue().clone(),
            pool: Pool::new(options.hub, options.limits.start()),
            store: options.store,
            configs: options.configs,
            skills: options.skills,
            webhooks: options.webhooks,
            limits: options.limits,
            totals: Totals::default(),
            claimed: Mutex::default(),
            host: options.host,
        };
        let inner = Inner {
            parts: Arc::new(parts),
            workspace: options.workspace,
            registry: Mutex::default(),
            creations: Creations::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        let sessions = Self(Arc::new(inner));
        for stored in sessions.0.parts.store.sessions().await? {
            let id = stored.id.clone();
            if let Err(error) = sessions.adopt_stored(stored, BTreeMap::new()) {
                tracing::error!(session = id, %error, "a stored session cannot be read; it is left alone");
            }
        }
        sessions.recovered().await;
        sessions.release_skills().await;
        sessions.0.tasks.spawn(sessions.clone().sweep());
        Ok(sessions)
    }

    /// Waits until no session shows a turn or a question that ended with the daemon before.
    async fn recovered(&self) {
        let all: Vec<Arc<Shared>> = self.registry().values().cloned().collect();
        let recovered = async {
            let unfinished = |record: &Record| record.turn.is_some() || record.queue_held;
            for session in all.iter().filter(|session| session.peek(unfinished)) {
                tokio::select! {
                    () = session.recovered.cancelled() => {}
                    () = session.stopped.cancelled() => {}
                }
            }
        };
        if tokio::time::timeout(RECOVERING, recovered).await.is_err() {
            tracing::warn!("sessions still take up what they did when the daemon ended");
        }
    }

    /// Takes back what was put in place for sessions that are no longer there.
    async fn release_skills(&self) {
        let live = |shared: &&Arc<Shared>| shared.shown_state() != SessionState::Ended;
        let live: HashSet<String> =
            self.registry().values().filter(live).map(|shared| shared.id.clone()).collect();
        if let Err(error) = self.0.parts.skills.retain(move |session| live.contains(session)).await {
            tracing::warn!(%error, "skills of ended sessions are left in place");
        }
    }

    /// Forgets sessions that have been ended for too long, or that there is no more room for, until the daemon stops.
    async fn sweep(self) {
        loop {
            if let Err(error) = self.sweep_once().await {
                tracing::warn!(%error, "old sessions cannot be forgotten");
            }
            tokio::select! {
                () = self.0.stop.cancelled() => return,
                () = tokio::time::sleep(SWEEPING) => {}
                () = self.0.parts.store.has_grown() => {}
            }
        }
    }

    async fn sweep_once(&self) -> Result<(), StoreError> {
        let store = &self.0.parts.store;
        let due = store.due().await?;
        let going: Vec<Arc<Shared>> = due.iter().filter_map(|id| self.registry().get(id).cloned()).collect();
        futures_util::future::join_all(going.iter().map(|shared| webhooks::last_look(shared))).await;
        loop {
            let swept = store.sweep(due.clone()).await?;
            swept.forgotten.iter().for_each(|id| self.forget(id));
            for (id, oldest) in swept.trimmed {
                if let Some(shared) = self.registry().get(&id) {
                    shared.log.trimmed(oldest);
                }
            }
            if !swept.has_more {
                return Ok(());
            }
        }
    }

    fn forget(&self, id: &str) {
        let shared = self.registry().remove(id);
        if let Some(shared) = shared {
            if let Some(creation) = shared.peek(|record| record.created_by.clone()) {
                self.0.creations.forget(&creation.key, id);
            }
            shared.deleted.cancel();
            shared.log.close();
        }
    }

    /// Takes up a session that is in the store.
    pub(crate) fn adopt_stored(
        &self,
        stored: StoredSession,
        env: BTreeMap<String, String>,
    ) -> Result<SessionHandle, SessionError> {
        let mut record = Record::from_bytes(&stored.record)
            .map_err(|error| StoreError::Corrupt(format!("the record of session {}: {error}", stored.id)))?;
        if record.state != SessionState::Ended {
            record.state = SessionState::Interrupted;
        }
        let ends = Ends { oldest: stored.oldest, last: stored.last, closed: false };
        let webhook = record.request.webhook.as_ref().map(|webhook| {
            let status = stored.webhook.and_then(|cursor| webhooks::restored(webhook, &cursor.state));
            status.unwrap_or_else(|| webhooks::fresh(webhook))
        });
        Ok(SessionHandle(self.adopt(&stored.id, record, ends, env, webhook)))
    }

    /// Events that were committed since the daemon runs.
    pub fn events_total(&self) -> u64 {
        self.0.parts.totals.events.load(Ordering::Relaxed)
    }

    /// Turns that were begun since the daemon runs.
    pub fn turns_total(&self) -> u64 {
        self.0.parts.totals.turns.load(Ordering::Relaxed)
    }

    /// The session of that id.
    pub fn get(&self, id: &str) -> Result<SessionHandle, SessionError> {
        let found = self.registry().get(id).cloned();
        found.map(SessionHandle).ok_or_else(|| SessionError::Unknown(id.to_owned()))
    }

    /// Ends a session and forgets it. Deleting one that does not exist is no mistake.
    pub async fn delete(&self, id: &str) -> Result<(), SessionError> {
        let shared = self.registry().get(id).cloned();
        let Some(shared) = shared else { return Ok(()) };
        // A client that comes second must not delete the session that is made under the same id meanwhile.
        if shared.deleting.swap(true, Ordering::Relaxed) {
            shared.deleted.cancelled().await;
            return Ok(());
        }
        let session = SessionHandle(Arc::clone(&shared));
        match tokio::time::timeout(ENDING, session.end(true)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(session = id, %error, "a session that is deleted was not terminated first");
            }
            Err(_) => tracing::warn!(session = id, "a session that is deleted did not end in time"),
        }
        shared.stop.cancel();
        shared.stopped.cancelled().await;
        webhooks::last_look(&shared).await;
        if let Err(error) = self.0.parts.store.delete(id).await {
            self.take_back(id, &shared).await;
            return Err(error.into());
        }
        self.forget(id);
        Ok(())
    }

    /// Gives a session a new owner that could not be forgotten, as far as that goes.
    pub(crate) async fn take_back(&self, id: &str, old: &Shared) {
        match self.0.parts.store.session(id).await {
            Ok(Some(stored)) => {
                // Its readers and its webhook go on with the new one.
                old.deleted.cancel();
                old.log.close();
                if let Err(error) = self.adopt_stored(stored, old.env()) {
                    tracing::error!(session = id, %error, "a session that could not be deleted cannot be read");
                }
            }
            Ok(None) => self.forget(id),
            Err(error) => {
                old.deleting.store(false, Ordering::Relaxed);
                tracing::error!(session = id, %error, "a session that could not be deleted cannot be read");
            }
        }
    }

    /// Stops everything without a trace in the logs: what the next daemon finds is what it would find after a crash.
    pub async fn shutdown(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        if tokio::time::timeout(STOPPING, self.0.tasks.wait()).await.is_err() {
            tracing::warn!("sessions were still stopping when the time for that was over");
        }
        self.0.parts.store.close().await;
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    /// Gives a stored session its owner.
    pub(crate) fn adopt(
        &self,
        id: &str,
        record: Record,
        mut ends: Ends,
        env: BTreeMap<String, String>,
        webhook: Option<WebhookStatus>,
    ) -> Arc<Shared> {
        let ended = record.state == SessionState::Ended;
        ends.closed = ended;
        let (commands, command_inbox) = mpsc::channel(COMMANDS);
        let (urgent, urgent_inbox) = mpsc::channel(COMMANDS);
        let log = Log::new(id, self.0.parts.store.clone(), ends);
        let shared = Arc::new(Shared::new(id, log, commands, urgent, record.clone(), env.clone(), webhook));
        self.registry().insert(id.to_owned(), Arc::clone(&shared));
        if let Some(creation) = &record.created_by {
            self.0.creations.remember(creation, id);
        }
        if let Some(webhook) = record.request.webhook.clone() {
            let (shared, parts) = (Arc::clone(&shared), Arc::clone(&self.0.parts));
            self.0.tasks.spawn(webhooks::run(shared, parts, webhook, self.0.stop.child_token()));
        }
        if ended {
            shared.stopped.cancel();
            return shared;
        }
        let owner = Owner::new(OwnerParts {
            shared: Arc::clone(&shared),
            parts: Arc::clone(&self.0.parts),
            policy: Policy::new(&record.request.policy)
                .and_then(|policy| policy.with_allowances(&record.allowances))
                .unwrap_or_default(),
            record,
            env,
            commands: command_inbox,
            urgent: urgent_inbox,
        });
        let (stop, stopped) = (self.0.stop.clone(), shared.stopped.clone());
        let own_stop = shared.stop.clone();
        self.0.tasks.spawn(run_until(owner.run(), [stop, own_stop], stopped));
        shared
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, HashMap<String, Arc<Shared>>> {
        self.0.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs an owner until it is done or one of these tokens is cancelled. Whatever ends it, a panic included, it has then stopped:
/// others wait for that.
async fn run_until(
    owner: impl Future<Output = ()>,
    stops: [CancellationToken; 2],
    stopped: CancellationToken,
) {
    let _stopped = stopped.drop_guard();
    let [daemon, session] = stops;
    tokio::select! {
        () = daemon.cancelled() => {}
        () = session.cancelled() => {}
        () = owner => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_owner_that_panics_has_stopped() {
        let stopped = CancellationToken::new();
        let stops = [CancellationToken::new(), CancellationToken::new()];
        let owner = async { panic!("a bug") };
        let task = tokio::spawn(run_until(owner, stops, stopped.clone()));
        assert!(task.await.is_err_and(|error| error.is_panic()));
        assert!(stopped.is_cancelled());
    }
}
