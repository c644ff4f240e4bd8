//! The registry of ACP servers.

use crate::owner::{Owner, OwnerParts};
use crate::stats::Stats;
use crate::{Limits, OpenError, Server, ServerId};
use sa_agents::{AgentSpec, Catalogue, Launch};
use sa_api::AcpServer;
use sa_install::Launcher;
use sa_supervisor::Supervisor;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

/// What a hub is made of.
#[derive(Debug)]
pub struct HubOptions {
    /// The agents it may start.
    pub catalogue: Catalogue,
    /// Its bounds.
    pub limits: Limits,
    /// Makes the commands that start them.
    pub launcher: Launcher,
}

/// All ACP servers of the daemon. Cloning gives another handle on the same hub.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

struct Inner {
    options: Arc<HubOptions>,
    supervisor: Supervisor,
    registry: Arc<Registry>,
    stats: Arc<Stats>,
    owners: TaskTracker,
}

/// Which server has which id. Locked for single look-ups only.
#[derive(Default)]
pub(crate) struct Registry {
    entries: Mutex<Entries>,
    /// Told of each new server.
    made: Notify,
}

#[derive(Default)]
struct Entries {
    servers: HashMap<ServerId, Server>,
    closing: bool,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes this server; another one that meanwhile took its id stays.
    pub(crate) fn forget(&self, server: &Server) {
        let mut entries = self.lock();
        if entries.servers.get(server.id()).is_some_and(|other| other.is(server)) {
            entries.servers.remove(server.id());
        }
    }
}

impl Hub {
    /// A hub without servers.
    pub fn new(options: HubOptions, supervisor: Supervisor) -> Self {
        let inner = Inner {
            options: Arc::new(options),
            supervisor,
            registry: Arc::default(),
            stats: Arc::default(),
            owners: TaskTracker::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Its bounds.
    pub fn limits(&self) -> &Limits {
        &self.inner.options.limits
    }

    /// The agents it may start.
    pub fn catalogue(&self) -> &Catalogue {
        &self.inner.options.catalogue
    }

    /// The program that a new process of this agent would run; none while it is not installed, or if it is this binary alone.
    pub fn program(&self, agent: &AgentSpec, version: Option<&str>) -> Option<PathBuf> {
        let found = self.inner.options.launcher.installer().find(agent, version);
        found.ok().flatten().map(|found| found.program)
    }

    /// Its counters.
    pub fn stats(&self) -> &Stats {
        &self.inner.stats
    }

    /// The server of that id.
    pub fn get(&self, id: &ServerId) -> Option<Server> {
        self.inner.registry.lock().servers.get(id).cloned()
    }

    /// The server of that id, also if it is made within the bound for that: clients ask for a stream together with
    /// the message that makes its server, and whichever comes first must not decide whether they miss something.
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

    /// All servers, in the order of their creation.
    pub fn list(&self) -> Vec<AcpServer> {
        let servers: Vec<Server> = self.inner.registry.lock().servers.values().cloned().collect();
        let mut list: Vec<AcpServer> = servers.iter().map(Server::describe).collect();
        list.sort_by(|a, b| (a.created_at_ms, &a.server_id).cmp(&(b.created_at_ms, &b.server_id)));
        list
    }

    /// The server of that id, made for this agent if there is none. The agent starts with the first message, installed
    /// before if need be; `version` is the one to start, the current one if absent.
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
        self.create(&mut entries, id.clone(), (agent, version), None)
    }

    /// A new server for an agent that is described here rather than in the catalogue, for a client within the daemon.
    pub fn open_with(
        &self,
        id: &ServerId,
        agent: AgentSpec,
        version: Option<&str>,
    ) -> Result<Server, OpenError> {
        if let Launch::InstallOnly { .. } = agent.launch {
            return Err(OpenError::NotStartable(agent.id));
        }
        self.create(&mut self.inner.registry.lock(), id.clone(), (agent, version), None)
    }

    /// A new server under an id of its own, which ends when nobody has been attached to it for the connection grace.
    pub fn open_connection(&self, agent: &str, version: Option<&str>) -> Result<Server, OpenError> {
        let agent = self.agent(agent)?;
        let grace = Duration::from_millis(self.limits().connection_grace_ms);
        self.create(&mut self.inner.registry.lock(), ServerId::mint(), (agent, version), Some(grace))
    }

    /// Ends the server of that id, if there is one, and waits until its processes are gone.
    pub async fn close(&self, id: &ServerId) -> bool {
        let server = self.inner.registry.lock().servers.remove(id);
        match server {
            Some(server) => {
                server.end().await;
                true
            }
            None => false,
        }
    }

    /// Ends everything, within the bound for shutting down. No server can be opened afterwards.
    pub async fn shutdown(&self) {
        let servers: Vec<Server> = {
            let mut entries = self.inner.registry.lock();
            entries.closing = true;
            entries.servers.drain().map(|(_, server)| server).collect()
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
        let agent = self.catalogue().get(id).cloned().ok_or_else(|| OpenError::UnknownAgent {
            agent: id.to_owned(),
            known: self.catalogue().iter().map(|agent| agent.id.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        match agent.launch {
            Launch::InstallOnly { .. } => Err(OpenError::NotStartable(agent.id)),
            _ => Ok(agent),
        }
    }

    fn create(
        &self,
        entries: &mut Entries,
        id: ServerId,
        (agent, version): (AgentSpec, Option<&str>),
        unattended: Option<Duration>,
    ) -> Result<Server, OpenError> {
        if entries.closing {
            return Err(OpenError::ShuttingDown);
        }
        if entries.servers.len() >= self.limits().servers {
            return Err(OpenError::TooMany(entries.servers.len()));
        }
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let (server, links) = Server::new(id.clone(), &agent.id, version, created, self.limits().log_bytes);
        let parts = OwnerParts {
            agent,
            server: server.clone(),
            unattended,
            options: Arc::clone(&self.inner.options),
            supervisor: self.inner.supervisor.clone(),
            registry: Arc::clone(&self.inner.registry),
            stats: Arc::clone(&self.inner.stats),
        };
        self.inner.owners.spawn(Owner::new(parts, links).run());
        entries.servers.insert(id, server.clone());
        self.inner.registry.made.notify_waiters();
        Ok(server)
    }
}
