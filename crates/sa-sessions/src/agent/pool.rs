//! Agent processes that several sessions share, where the agent can do that.

use super::{AgentFailure, Connection};
use parking_lot::Mutex;
use sa_agents::{AgentSpec, Capability};
use sa_hub::Hub;
use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
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
    /// The program that a new process would run: one that was started with another is not joined.
    program: Option<Program>,
    env: BTreeMap<String, String>,
}

/// A program file. One that replaces it under the same name is not equal.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Program {
    path: PathBuf,
    /// Device, inode and time of the last change; absent if the file cannot be read.
    file: Option<(u64, u64, i64, i64)>,
}

/// A process slot. The process runs as long as somebody holds it.
pub(crate) struct Slot {
    /// The outcome of its start, for all that have waited for it.
    connection: OnceCell<Result<Connection, AgentFailure>>,
    retired: AtomicBool,
}

/// An agent process for one session.
pub(crate) struct Process {
    pub(crate) slot: Arc<Slot>,
    pub(crate) connection: Connection,
    /// Set if the process was running before this session asked for one.
    pub(crate) joined: bool,
}

impl Pool {
    pub(crate) fn new(hub: Hub, start: Duration) -> Self {
        Self { hub, start, shared: Mutex::default() }
    }

    /// Returns a process of this agent with these variables in its environment, started if none can be joined.
    pub(crate) async fn connect(
        &self,
        mut agent: AgentSpec,
        version: Option<&str>,
        env: &BTreeMap<String, String>,
    ) -> Result<Process, AgentFailure> {
        let shares = agent.capabilities.as_ref().is_some_and(|can| can.contains(&Capability::SharedProcess));
        let key = shares.then(|| self.key(&agent, version, env));
        let slot = key.as_ref().map_or_else(|| Arc::new(Slot::new()), |key| self.slot(key));
        let joined = slot.connection.initialized();
        let spec = agent.clone();
        agent.env.extend(env.clone());
        let open = || Connection::open(&self.hub, agent, version, self.start);
        let connection = slot.connection.get_or_init(open).await.clone()?;
        // The program may have been installed just now.
        if key.is_some_and(|key| key.program.is_none()) {
            self.offer(self.key(&spec, version, env), &slot);
        }
        Ok(Process { slot, connection, joined })
    }

    fn key(&self, agent: &AgentSpec, version: Option<&str>, env: &BTreeMap<String, String>) -> Key {
        let program = self.hub.program(agent, version).map(|path| Program::at(&path));
        Key { agent: agent.id.clone(), version: version.map(str::to_owned), program, env: env.clone() }
    }

    fn slot(&self, key: &Key) -> Arc<Slot> {
        let mut shared = self.shared.lock();
        shared.retain(|_, slot| slot.strong_count() > 0);
        let there = shared.get(key).and_then(Weak::upgrade).filter(|slot| slot.takes_sessions());
        there.unwrap_or_else(|| {
            let slot = Arc::new(Slot::new());
            shared.insert(key.clone(), Arc::downgrade(&slot));
            slot
        })
    }

    /// Has sessions of this key join that process, unless they have one.
    fn offer(&self, key: Key, slot: &Arc<Slot>) {
        let mut shared = self.shared.lock();
        let taken = shared.get(&key).and_then(Weak::upgrade).is_some_and(|slot| slot.takes_sessions());
        if !taken {
            shared.insert(key, Arc::downgrade(slot));
        }
    }
}

impl Program {
    fn at(path: &std::path::Path) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let file = path.metadata().ok();
        let file = file.map(|file| (file.dev(), file.ino(), file.mtime(), file.mtime_nsec()));
        Self { path, file }
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
            Some(Ok(connection)) => connection.ended().is_none(),
            Some(Err(_)) => false,
            None => true,
        };
        runs && !self.retired.load(Ordering::Relaxed)
    }
}
