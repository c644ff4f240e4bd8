//! What a session's handles and its owner share.

use crate::command::{Command, Urgent};
use crate::log::Log;
use crate::record::{Record, View};
use sa_api::sessions::{Session, WebhookStatus};
use sa_store::StoreError;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

pub(crate) struct Shared {
    pub(crate) id: String,
    pub(crate) log: std::sync::Arc<Log>,
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) urgent: mpsc::Sender<Urgent>,
    /// Cancelled to stop the owner without a trace in the log.
    pub(crate) stop: CancellationToken,
    /// Set by whoever deletes the session.
    pub(crate) deleting: AtomicBool,
    /// Cancelled when the session is forgotten.
    pub(crate) deleted: CancellationToken,
    /// Cancelled when the owner has taken up what an earlier daemon left.
    pub(crate) recovered: CancellationToken,
    /// Cancelled when the session is about to be forgotten: its webhook gets what it has not got yet.
    pub(crate) last_look: CancellationToken,
    /// Cancelled when nothing is delivered to its webhook any more.
    pub(crate) delivered: CancellationToken,
    /// Cancelled when the owner has stopped.
    pub(crate) stopped: CancellationToken,
    /// Why the owner cannot store what has happened, while it tries again: nobody needs to wait for it meanwhile.
    pub(crate) stalled: watch::Sender<Option<StoreError>>,
    state: Mutex<State>,
}

/// The newest that was committed.
struct State {
    record: Record,
    /// Variables for the agent's process alone.
    env: BTreeMap<String, String>,
    queued: usize,
    webhook: Option<WebhookStatus>,
}

impl Shared {
    pub(crate) fn new(
        id: &str,
        log: Log,
        commands: mpsc::Sender<Command>,
        urgent: mpsc::Sender<Urgent>,
        record: Record,
        env: BTreeMap<String, String>,
        webhook: Option<WebhookStatus>,
    ) -> Self {
        Self {
            id: id.to_owned(),
            log: std::sync::Arc::new(log),
            commands,
            urgent,
            stop: CancellationToken::new(),
            deleting: AtomicBool::new(false),
            deleted: CancellationToken::new(),
            recovered: CancellationToken::new(),
            last_look: CancellationToken::new(),
            delivered: CancellationToken::new(),
            stopped: CancellationToken::new(),
            stalled: watch::Sender::new(None),
            state: Mutex::new(State { record, env, queued: 0, webhook }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What clients see from now on.
    pub(crate) fn show(&self, record: &Record, queued: usize) {
        let mut state = self.state();
        state.record.clone_from(record);
        state.queued = queued;
    }

    /// Shows when the last event was and how many messages wait. The rest of the record has not changed.
    pub(crate) fn show_update(&self, at_ms: u64, queued: usize) {
        let mut state = self.state();
        state.record.updated_at_ms = at_ms;
        state.queued = queued;
    }

    /// How the webhook stands from now on.
    pub(crate) fn show_webhook(&self, status: WebhookStatus) {
        self.state().webhook = Some(status);
    }

    pub(crate) fn webhook(&self) -> Option<WebhookStatus> {
        self.state().webhook.clone()
    }

    /// What a copy of the session, or its next owner, gives its agent.
    pub(crate) fn env(&self) -> BTreeMap<String, String> {
        self.state().env.clone()
    }

    /// What they give it from now on.
    pub(crate) fn set_env(&self, env: BTreeMap<String, String>) {
        self.state().env = env;
    }

    pub(crate) fn record(&self) -> Record {
        self.state().record.clone()
    }

    pub(crate) fn describe(&self) -> Session {
        let ends = self.log.ends();
        let state = self.state();
        let view = View {
            queued: state.queued,
            last: ends.last,
            oldest: ends.oldest,
            webhook: state.webhook.clone(),
        };
        state.record.describe(&self.id, view)
    }
}
