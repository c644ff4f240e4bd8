//! The registry of ACP servers.

use crate::numbers::Numbers;
use crate::owner::{Owner, OwnerParts, Timeouts};
use crate::shared::Shared;
use crate::stats::Stats;
use crate::{Limits, OpenError, Server, ServerId};
use parking_lot::{Mutex, MutexGuard};
use sa_agents::{AgentSpec, Catalog};
use sa_api::{AcpServer, Timestamp};
use sa_install::Launcher;
use sa_supervisor::Supervisor;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

/// The parts of a hub.
#[derive(Debug)]
pub struct HubOptions {
    /// The agents it may start.
    pub catalog: Catalog,
    /// Bounds on memory, counts and waits.
    pub limits: Limits,
    /// Makes the commands that start them.
    pub launcher: Launcher,
    /// The first event of a new server has the number after this. Greater than any number that an earlier daemon gave
    /// to clients of this one; 0 if there was none.
    pub numbers_after: u64,
}

/// All ACP servers of the daemon. Cloning gives another handle on the same hub.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<HubInner>,
}

/// The parts of a hub that the owners of its servers use, too.
pub(crate) struct HubInner {
    pub(crate) options: HubOptions,
    pub(crate) supervisor: Supervisor,
    pub(crate) registry: Registry,
    pub(crate) stats: Arc<Stats>,
    owners: TaskTracker,
}

/// The most records that a server that is being ended may still add to its log.
const LAST_RECORDS: u64 = 1 << 24;

/// The servers by id. Locked for single lookups only.
pub(crate) struct Registry {
    entries: Mutex<Entries>,
    /// Notified of each new server.
    made: Notify,
}

#[derive(Default)]
struct Entries {
    servers: HashMap<ServerId, Server>,
    /// Servers that gave their id up and whose processes may still run.
    ending: Vec<Server>,
    numbers: Numbers,
    closing: bool,
}

impl Registry {
    fn new(numbers_after: u64) -> Self {
        let entries = Entries { numbers: Numbers::new(numbers_after), ..Entries::default() };
        Self { entries: Mutex::new(entries), made: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock()
    }

    /// Takes the id from this server, which is about to end; another one that meanwhile took its id stays.
    pub(crate) fn forget(&self, server: &Server) {
        let mut entries = self.lock();
        if entries.servers.get(server.id()).is_some_and(|other| other.is(server)) {
            entries.retire(server.id());
        }
    }

    /// Notes that nothing of this server is left.
    pub(crate) fn ended(&self, server: &Server) {
        let mut entries = self.lock();
        entries.ending.retain(|other| !other.is(server));
        entries.numbers.note(server.id(), server.newest());
    }
}

impl Entries {
    /// Takes the id from its server. True if there was one.
    fn retire(&mut self, id: &ServerId) -> bool {
        let server = self.servers.remove(id);
        let existed = server.is_some();
        self.ending.extend(server);
        existed
    }

    /// Returns the number before the first one of a new server with this id.
    fn before_first(&self, id: &ServerId) -> u64 {
        let ending = self.ending.iter().filter(|server| server.id() == id);
        let ending = ending.map(|server| server.newest() + LAST_RECORDS);
        ending.chain([self.numbers.before_first(id)]).max().unwrap_or(0)
    }
}

impl Hub {
    /// Creates a hub without servers.
    pub fn new(options: HubOptions, supervisor: Supervisor) -> Self {
        let registry = Registry::new(options.numbers_after);
        let (stats, owners) = (Arc::default(), TaskTracker::new());
        Self { inner: Arc::new(HubInner { options, supervisor, registry, stats, owners }) }
    }

    pub fn limits(&self) -> &Limits {
        &self.inner.options.limits
    }

    /// Returns the agents it may start.
    pub fn catalog(&self) -> &Catalog {
        &self.inner.options.catalog
    }

    /// Returns the program that a new process of this agent would run; none while it is not installed, or if it is
    /// this binary alone.
    pub fn program(&self, agent: &AgentSpec, version: Option<&str>) -> Option<PathBuf> {
        let found = self.inner.options.launcher.installer().find(agent, version);
        found.ok().flatten().map(|found| found.program)
    }

    pub fn stats(&self) -> &Stats {
        &self.inner.stats
    }

    pub fn get(&self, id: &ServerId) -> Option<Server> {
        self.inner.registry.lock().servers.get(id).cloned()
    }

    /// Returns the server of that id, also if it is made within the bound for that: clients ask for a stream together
    /// with the message that makes its server, and whichever comes first must not decide whether they miss something.
    pub async fn get_soon(&self, id: &ServerId) -> Option<Server> {
        let soon = async {
            loop {
                let made = self.inner.registry.made.notified();
                if let Some(server) = self.get(id) {
                    return server;
                }
                made.await;
            }
        };
        tokio::time::timeout(Duration::from_millis(self.limits().stream_wait_ms), soon).await.ok()
    }

    /// Returns all servers, in the order of their creation.
    pub fn list(&self) -> Vec<AcpServer> {
        let servers: Vec<Server> = self.inner.registry.lock().servers.values().cloned().collect();
        let mut list: Vec<AcpServer> = servers.iter().map(Server::describe).collect();
        list.sort_by(|a, b| (a.created_at_ms, &a.server_id).cmp(&(b.created_at_ms, &b.server_id)));
        list
    }

    /// Returns the server of that id, made for this agent if there is none. The agent starts with the first message,
    /// installed before if need be; `version` is the one to start, the current one if absent.
    pub fn open(
        &self,
        id: &ServerId,
        agent: Option<&str>,
        version: Option<&str>,
    ) -> Result<Server, OpenError> {
        let mut entries = self.inner.registry.lock();
        if let Some(server) = entries.servers.get(id) {
            return match agent {
                Some(asked) if asked != server.agent() => Err(OpenError::OtherAgent {
                    server: id.to_string(),
                    bound: server.agent().to_owned(),
                    asked: asked.to_owned(),
                }),
                _ if version.is_some_and(|asked| Some(asked) != server.asked_version()) => {
                    Err(OpenError::OtherVersion {
                        server: id.to_string(),
                        bound: server.asked_version().unwrap_or("the current one").to_owned(),
                        asked: version.unwrap_or_default().to_owned(),
                    })
                }
                _ => Ok(server.clone()),
            };
        }
        let agent = self.agent(agent.ok_or_else(|| OpenError::Unknown(id.to_string()))?)?;
        self.create(&mut entries, id.clone(), (agent, version), self.timeouts(None))
    }

    /// Returns a new server for an agent that is described here rather than in the catalog, for a client within the
    /// daemon.
    pub fn open_with(
        &self,
        id: &ServerId,
        agent: AgentSpec,
        version: Option<&str>,
    ) -> Result<Server, OpenError> {
        agent.check_startable()?;
        // That client stays as long as the server, and decides itself how long an agent may be silent.
        let timeouts = Timeouts { unattended: None, silence: None };
        self.create(&mut self.inner.registry.lock(), id.clone(), (agent, version), timeouts)
    }

    /// Creates a server under a new id. It ends after the connection grace without streams, sockets and callers.
    pub fn open_connection(&self, agent: &str, version: Option<&str>) -> Result<Server, OpenError> {
        let agent = self.agent(agent)?;
        let grace = Duration::from_millis(self.limits().connection_grace_ms);
        let timeouts = self.timeouts(Some(grace));
        self.create(&mut self.inner.registry.lock(), ServerId::mint(), (agent, version), timeouts)
    }

    /// Ends the server of that id, if there is one, and waits until its processes are gone, and those of servers that
    /// had the id before. True if there was one.
    pub async fn close(&self, id: &ServerId) -> bool {
        let existed = self.inner.registry.lock().retire(id);
        self.settle(id.as_str()).await;
        existed
    }

    /// Waits until nothing is left of servers that had this id and are ending.
    pub async fn settle(&self, id: &str) {
        let ending: Vec<Server> = {
            let entries = self.inner.registry.lock();
            entries.ending.iter().filter(|server| server.id().as_str() == id).cloned().collect()
        };
        futures_util::future::join_all(ending.iter().map(Server::end)).await;
    }

    /// Ends everything, within the bound for shutting down. No server can be opened afterwards.
    pub async fn shutdown(&self) {
        let servers: Vec<Server> = {
            let mut entries = self.inner.registry.lock();
            entries.closing = true;
            let servers: Vec<Server> = entries.servers.drain().map(|(_, server)| server).collect();
            entries.ending.extend(servers.iter().cloned());
            servers
        };
        self.inner.owners.close();
        let bound = Duration::from_millis(self.limits().shutdown_ms);
        let ended = async {
            futures_util::future::join_all(servers.iter().map(Server::end)).await;
            self.inner.owners.wait().await;
        };
        if tokio::time::timeout(bound, ended).await.is_err() {
            tracing::warn!("agents were still ending when the time for shutting down was over");
        }
        self.inner.supervisor.shutdown(Duration::from_millis(self.limits().stop_grace_ms)).await;
    }

    fn agent(&self, id: &str) -> Result<AgentSpec, OpenError> {
        let agent = self.catalog().find(id)?;
        agent.check_startable()?;
        Ok(agent.clone())
    }

    fn timeouts(&self, unattended: Option<Duration>) -> Timeouts {
        Timeouts { unattended, silence: self.limits().silence() }
    }

    fn create(
        &self,
        entries: &mut Entries,
        id: ServerId,
        (agent, version): (AgentSpec, Option<&str>),
        timeouts: Timeouts,
    ) -> Result<Server, OpenError> {
        if entries.closing {
            return Err(OpenError::ShuttingDown);
        }
        if entries.servers.len() >= self.limits().servers {
            return Err(OpenError::TooMany(entries.servers.len()));
        }
        let created = Timestamp::now().as_millis();
        let shared = Shared::new(self.limits().log_bytes, entries.before_first(&id));
        let (server, links) = Server::new(id.clone(), &agent.id, version, created, shared);
        let parts = OwnerParts { agent, server: server.clone(), timeouts, hub: Arc::clone(&self.inner) };
        self.inner.owners.spawn(Owner::new(parts, links).run());
        entries.servers.insert(id, server.clone());
        self.inner.registry.made.notify_waiters();
        Ok(server)
    }
}
