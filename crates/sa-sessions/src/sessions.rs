//! The registry of sessions.

use crate::agent::Pool;
use crate::handle::SessionHandle;
use crate::limits::SessionLimits;
use crate::log::{Ends, Log};
use crate::moment::now_ms;
use crate::owner::{Owner, OwnerParts};
use crate::parts::{Parts, Totals};
use crate::policy::Policy;
use crate::record::Record;
use crate::shared::Shared;
use crate::{AgentFailure, SessionError, webhooks};
use sa_agents::TokenVariable;
use sa_api::sessions::{CreateSession, Session, SessionCreated, SessionState, WebhookStatus};
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
    workspace: PathBuf,
    registry: Mutex<HashMap<String, Arc<Shared>>>,
    tasks: TaskTracker,
    stop: CancellationToken,
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
            for session in all.iter().filter(|session| session.record().turn.is_some()) {
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
        let live = self.list().into_iter().filter(|session| session.state != SessionState::Ended);
        let live: HashSet<String> = live.map(|session| session.session_id).collect();
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

    /// All of them, the one with the newest event first.
    pub fn list(&self) -> Vec<Session> {
        let all: Vec<Arc<Shared>> = self.registry().values().cloned().collect();
        let mut list: Vec<Session> = all.iter().map(|shared| shared.describe()).collect();
        list.sort_by(|a, b| (b.updated_at_ms, &a.session_id).cmp(&(a.updated_at_ms, &b.session_id)));
        list
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

    /// Creates a session and starts its agent. The session stays if the agent does not start, unless that is because the
    /// agent does not have what the request asks for.
    pub async fn create(&self, id: &str, request: CreateSession) -> Result<SessionCreated, SessionError> {
        self.0.parts.agent(&request.agent)?;
        let cwd = self.directory(request.cwd.as_deref())?;
        check_variables(&request.env).map_err(SessionError::Invalid)?;
        let mut env = request.env.clone();
        let token_variable = self.credential_of(&request).await?;
        if let Some((variable, token)) = &token_variable {
            variable.give(token, &mut env);
        }
        let mut record = Record::new(request, cwd, now_ms());
        record.variables = env.keys().cloned().collect();
        record.token_variable = token_variable.map(|(variable, _)| variable.variable);
        let session = self.make(id, record, env).await?;
        match session.start().await {
            Err(failure) if failure.is_bad_choice() => {
                // Another client may have deleted it already.
                let _ = self.delete(id).await;
                Err(failure.into())
            }
            started => Ok(created(&session, started)),
        }
    }

    /// Ends a session and forgets it.
    pub async fn delete(&self, id: &str) -> Result<(), SessionError> {
        let shared = self.registry().get(id).cloned();
        let Some(shared) = shared else { return Err(SessionError::Unknown(id.to_owned())) };
        // Who comes second must not delete the session that is made under the same id meanwhile.
        if shared.deleting.swap(true, Ordering::Relaxed) {
            shared.deleted.cancelled().await;
            return Err(SessionError::Unknown(id.to_owned()));
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
    async fn take_back(&self, id: &str, old: &Shared) {
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

    /// A session with that record, which must be new.
    async fn make(
        &self,
        id: &str,
        record: Record,
        env: BTreeMap<String, String>,
    ) -> Result<SessionHandle, SessionError> {
        self.check_new(id)?;
        // Refused before anything is stored.
        Policy::new(&record.request.policy).map_err(SessionError::Invalid)?;
        let table = self.0.parts.mode_table(&record.request.agent);
        sa_universal::check_agent_mode(&table, &record.agent_mode, record.permission_mode)
            .map_err(|looser| AgentFailure::Unsupported(looser.to_string()))?;
        if let Some(webhook) = &record.request.webhook {
            webhooks::check(webhook)?;
        }
        if !self.0.parts.store.create(id, record.to_bytes()).await? {
            return Err(SessionError::Exists(id.to_owned()));
        }
        let webhook = record.request.webhook.as_ref().map(webhooks::fresh);
        Ok(SessionHandle(self.adopt(id, record, Ends { oldest: 1, last: 0, closed: false }, env, webhook)))
    }

    /// Whether there may be a session of that id beside those that are.
    pub(crate) fn check_new(&self, id: &str) -> Result<(), SessionError> {
        check_id(id)?;
        if self.0.stop.is_cancelled() {
            return Err(SessionError::ShuttingDown);
        }
        let registry = self.registry();
        if registry.contains_key(id) {
            return Err(SessionError::Exists(id.to_owned()));
        }
        if registry.len() >= self.0.parts.limits.max {
            return Err(SessionError::TooMany(registry.len()));
        }
        Ok(())
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
            policy: Policy::new(&record.request.policy).unwrap_or_default(),
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

    /// The credential of the session's own, if it has one, with the variable in which its agent takes it.
    async fn credential_of(
        &self,
        request: &CreateSession,
    ) -> Result<Option<(TokenVariable, String)>, SessionError> {
        let Some(token) = &request.token else {
            if request.validate_token {
                return Err(SessionError::Invalid("validateToken needs a token".to_owned()));
            }
            return Ok(None);
        };
        let variable = self.0.parts.token_variable(&request.agent)?.for_model(request.model.as_deref());
        if request.validate_token {
            self.0.parts.validate(&variable, token, &request.env).await?;
        }
        Ok(Some((variable, token.clone())))
    }

    /// The directory that a session works in: absolute, and there.
    fn directory(&self, asked: Option<&str>) -> Result<String, SessionError> {
        let path = asked.map_or_else(|| self.0.workspace.clone(), |asked| self.0.workspace.join(asked));
        if !path.is_dir() {
            return Err(SessionError::Invalid(format!("cwd: there is no directory {}", path.display())));
        }
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| {
            SessionError::Invalid("cwd: agents take only directories whose names are UTF-8".to_owned())
        })
    }

    fn registry(&self) -> MutexGuard<'_, HashMap<String, Arc<Shared>>> {
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

pub(crate) fn created(session: &SessionHandle, started: Result<(), AgentFailure>) -> SessionCreated {
    let error = started.err().map(|failure| failure.to_api());
    SessionCreated { healthy: error.is_none(), error, session: session.describe() }
}

/// Refuses names that no environment can hold.
pub(crate) fn check_variables(env: &BTreeMap<String, String>) -> Result<(), String> {
    for (name, value) in env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("env: '{}' is not a name of a variable", name.escape_debug()));
        }
        if value.contains('\0') {
            return Err(format!("env: the value of '{name}' has a NUL character"));
        }
    }
    Ok(())
}

fn check_id(id: &str) -> Result<(), SessionError> {
    let plain = |c: char| c.is_ascii_alphanumeric();
    let fits = (1..=128).contains(&id.len())
        && id.starts_with(plain)
        && id.chars().all(|c| plain(c) || matches!(c, '-' | '_' | '.'))
        // Its address is that of the operation.
        && id != "import";
    if fits { Ok(()) } else { Err(SessionError::BadId(id.to_owned())) }
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
