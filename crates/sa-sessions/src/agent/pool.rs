//! Agent processes that several sessions share, where the agent can do that.

use super::{AgentFailure, Connection};
use sa_agents::{AgentSpec, Capability};
use sa_hub::Hub;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::OnceCell;

/// The processes that are there.
pub(crate) struct Pool {
    hub: Hub,
    start: Duration,
    shared: Mutex<HashMap<Key, Weak<Slot>>>,
}

/// Sessions with the same of all of these can share a process.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    agent: String,
    version: Option<String>,
    env: BTreeMap<String, String>,
}

/// A process, once it is started. Whoever holds one keeps it alive.
pub(crate) struct Slot {
    /// How starting it went, for all who have waited for it.
    connection: OnceCell<Result<Connection, AgentFailure>>,
    retired: AtomicBool,
}

impl Pool {
    pub(crate) fn new(hub: Hub, start: Duration) -> Self {
        Self { hub, start, shared: Mutex::default() }
    }

    /// A process of this agent with these variables in its environment.
    pub(crate) async fn connect(
        &self,
        mut agent: AgentSpec,
        version: Option<&str>,
        env: &BTreeMap<String, String>,
    ) -> Result<(Arc<Slot>, Connection), AgentFailure> {
        let shares = agent.capabilities.as_ref().is_some_and(|can| can.contains(&Capability::SharedProcess));
        let key = Key { agent: agent.id.clone(), version: version.map(str::to_owned), env: env.clone() };
        agent.env.extend(env.clone());
        let slot = if shares { self.slot(key) } else { Arc::new(Slot::new()) };
        let open = || Connection::open(&self.hub, agent, version, self.start);
        let connection = slot.connection.get_or_init(open).await.clone()?;
        Ok((slot, connection))
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|_, slot| slot.strong_count() > 0);
        let there = shared.get(&key).and_then(Weak::upgrade).filter(|slot| slot.takes_sessions());
        there.unwrap_or_else(|| {
            let slot = Arc::new(Slot::new());
            shared.insert(key, Arc::downgrade(&slot));
            slot
        })
    }
}

impl Slot {
    fn new() -> Self {
        Self { connection: OnceCell::new(), retired: AtomicBool::new(false) }
    }

    /// Has it take no new sessions; it ends with the last of those that it has.
    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    fn takes_sessions(&self) -> bool {
        let runs = match self.connection.get() {
            Some(Ok(connection)) => !connection.is_ended(),
            Some(Err(_)) => false,
            None => true,
        };
        runs && !self.retired.load(Ordering::Relaxed)
    }
}
