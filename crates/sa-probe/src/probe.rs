//! Asks agents, each version once at a time, and remembers what they said.

use crate::conversation::Conversation;
use crate::{Offer, ProbeError};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use sa_agents::AgentSpec;
use sa_install::{LaunchError, Launchable, Launcher};
use sa_supervisor::Supervisor;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Time between SIGTERM and SIGKILL for an agent.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// The parts of a probe.
#[derive(Debug)]
pub struct ProbeOptions {
    /// Makes the commands.
    pub launcher: Launcher,
    /// Starts them.
    pub supervisor: Supervisor,
    /// Timeout for an agent's answer.
    pub patience: Duration,
}

/// Answers of an agent that are good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// Also an earlier one, if there is one.
    Known,
    /// Only one that the agent gives now.
    New,
}

/// Asks agents what they offer. Cloning gives another handle on the same thing.
#[derive(Clone)]
pub struct Probe {
    inner: Arc<Inner>,
}

struct Inner {
    options: ProbeOptions,
    /// Locked for single look-ups only.
    answers: Mutex<HashMap<Key, SharedOffer>>,
}

/// The agent and its command: another version, or another program, is asked again.
type Key = (String, String);
type SharedOffer = Shared<BoxFuture<'static, Result<Arc<Offer>, ProbeError>>>;

impl Probe {
    /// Creates a probe that knows nothing yet.
    pub fn new(options: ProbeOptions) -> Self {
        Self { inner: Arc::new(Inner { options, answers: Mutex::default() }) }
    }

    /// Returns the agent's offer.
    pub async fn ask(&self, agent: &AgentSpec, answers: Answers) -> Result<Arc<Offer>, ProbeError> {
        let (key, launchable) = self.key(agent)?;
        let answer = self.answer(key.clone(), launchable, answers);
        let offer = answer.clone().await;
        if offer.is_err() {
            // A failure may not happen again, so it is not remembered.
            let mut answers = self.inner.answers.lock();
            if answers.get(&key).is_some_and(|known| known.ptr_eq(&answer)) {
                answers.remove(&key);
            }
        }
        offer
    }

    /// Returns the earlier answer, if there is one.
    pub fn known(&self, agent: &AgentSpec) -> Option<Arc<Offer>> {
        let (key, _) = self.key(agent).ok()?;
        self.inner.answers.lock().get(&key)?.peek()?.as_ref().ok().cloned()
    }

    fn key(&self, agent: &AgentSpec) -> Result<(Key, Launchable), ProbeError> {
        let launchable = self.inner.options.launcher.prepare_now(agent).map_err(|error| match error {
            LaunchError::Install(error) => ProbeError::Install(error),
            LaunchError::NotStartable(_) | LaunchError::NoVersions(_) | LaunchError::Node(_) => {
                ProbeError::NotStartable
            }
        })?;
        let launchable = launchable.ok_or(ProbeError::NotInstalled)?;
        let identity = format!("{:?} {:?}", launchable.version, launchable.command);
        Ok(((agent.id.clone(), identity), launchable))
    }

    fn answer(&self, key: Key, launchable: Launchable, wanted: Answers) -> SharedOffer {
        let mut answers = self.inner.answers.lock();
        match answers.get(&key) {
            // A question that is still open is not asked twice. A failure that nobody waited for is no answer.
            Some(known) if known.peek().is_none_or(|said| wanted == Answers::Known && said.is_ok()) => {
                known.clone()
            }
            _ => {
                // On a separate task: the caller may go away, others wait for the same answer.
                let asking = tokio::spawn(Arc::clone(&self.inner).converse(launchable));
                let answer: SharedOffer =
                    async move { asking.await.unwrap_or_else(|_| Err(ProbeError::Ended(String::new()))) }
                        .boxed()
                        .shared();
                answers.insert(key, answer.clone());
                answer
            }
        }
    }
}

impl Inner {
    async fn converse(self: Arc<Self>, launchable: Launchable) -> Result<Arc<Offer>, ProbeError> {
        let directory = tempfile::tempdir().map_err(|error| ProbeError::Spawn(error.to_string()))?;
        let mut command = launchable.command;
        command.cwd = Some(directory.path().to_owned());
        let spawned = self.options.supervisor.spawn(command).await;
        let spawned = spawned.map_err(|error| ProbeError::Spawn(error.to_string()))?;
        let mut conversation = Conversation::new(spawned);
        let asking = async {
            let capabilities = json!({"fs": {"readTextFile": false, "writeTextFile": false}});
            let client = json!({"name": "sandbox-agent", "version": env!("CARGO_PKG_VERSION")});
            let greeting =
                json!({"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": client});
            let initialized = conversation.ask("initialize", greeting).await?;
            let session = json!({"cwd": directory.path(), "mcpServers": []});
            let session = conversation.ask("session/new", session).await?;
            Ok(Arc::new(Offer::new(&initialized, &session)))
        };
        let patience = self.options.patience;
        let answer = tokio::time::timeout(patience, asking)
            .await
            .unwrap_or(Err(ProbeError::Silent(patience.as_secs())));
        conversation.process().stop(STOP_GRACE).await;
        answer
    }
}
