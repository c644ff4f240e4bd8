//! The processes of the daemon.

use crate::config::{BadConfig, check_config};
use crate::error::{RemoveError, StartError};
use crate::handle::{Inner, Process};
use crate::input::Input;
use crate::limits::{COMMANDS, ENDED_LOG_BYTES, INPUT_QUEUE_BYTES};
use crate::owner::Owner;
use crate::shared::Shared;
use crate::spec::Spec;
use crate::streams::{Stdin, Streams};
use parking_lot::{Mutex, MutexGuard};
use sa_api::{ProcessConfig, ProcessInfo, Timestamp};
use sa_supervisor::Supervisor;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// All processes. Cloning gives another handle on the same ones.
#[derive(Clone)]
pub struct Processes {
    pub(crate) supervisor: Supervisor,
    pub(crate) registry: Arc<Registry>,
    pub(crate) workspace: Arc<Path>,
    owners: TaskTracker,
}

/// Numbers for those who watch the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Processes started since the daemon runs, those of `run` included.
    pub started: u64,
    /// Processes that run now.
    pub running: usize,
    /// Ended processes that are remembered.
    pub ended: usize,
}

/// The processes by id. Locked for single lookups only.
pub(crate) struct Registry {
    entries: Mutex<Entries>,
}

struct Entries {
    config: ProcessConfig,
    processes: HashMap<String, Process>,
    /// Those that ended, the first one first.
    ended: VecDeque<String>,
    running: usize,
    started: u64,
    closing: bool,
}

/// A place among the processes that run; free again when dropped.
pub(crate) struct Slot {
    registry: Arc<Registry>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.registry.lock().running -= 1;
    }
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock()
    }

    pub(crate) fn config(&self) -> ProcessConfig {
        self.lock().config.clone()
    }

    pub(crate) fn slot(self: &Arc<Self>) -> Result<Slot, StartError> {
        let mut entries = self.lock();
        if entries.closing {
            return Err(StartError::ShuttingDown);
        }
        if entries.running >= entries.config.max_concurrent_processes {
            return Err(StartError::TooMany(entries.running));
        }
        entries.running += 1;
        entries.started += 1;
        Ok(Slot { registry: Arc::clone(self) })
    }

    /// Notes that the owner of that process is done.
    pub(crate) fn ended(&self, id: &str) {
        let mut entries = self.lock();
        if entries.processes.contains_key(id) {
            entries.ended.push_back(id.to_owned());
            entries.forget_oldest();
        }
    }
}

impl Entries {
    /// Keeps the number of ended processes, and the memory of their logs, within bounds. The last one always stays.
    fn forget_oldest(&mut self) {
        let cost = |entries: &Self, id: &String| entries.processes.get(id).map_or(0, Process::log_cost);
        let mut bytes: usize = self.ended.iter().map(|id| cost(self, id)).sum();
        while self.ended.len() > self.config.max_ended_processes
            || (bytes > ENDED_LOG_BYTES && self.ended.len() > 1)
        {
            let Some(oldest) = self.ended.pop_front() else { return };
            bytes -= cost(self, &oldest);
            self.processes.remove(&oldest);
        }
    }
}

impl Processes {
    /// Creates a registry without processes. By default, processes start in the workspace.
    pub fn new(supervisor: Supervisor, config: ProcessConfig, workspace: &Path) -> Self {
        let entries = Entries {
            config,
            processes: HashMap::new(),
            ended: VecDeque::new(),
            running: 0,
            started: 0,
            closing: false,
        };
        let registry = Arc::new(Registry { entries: Mutex::new(entries) });
        Self { supervisor, registry, workspace: workspace.into(), owners: TaskTracker::new() }
    }

    /// Returns the limits in force.
    pub fn config(&self) -> ProcessConfig {
        self.registry.config()
    }

    /// Changes the limits. Running processes continue, even above a new limit.
    pub fn configure(&self, change: impl FnOnce(&mut ProcessConfig)) -> Result<ProcessConfig, BadConfig> {
        let mut entries = self.registry.lock();
        let mut config = entries.config.clone();
        change(&mut config);
        check_config(&config)?;
        entries.config = config.clone();
        entries.forget_oldest();
        Ok(config)
    }

    /// Starts a process that runs until it ends or is ended.
    pub async fn create(&self, spec: Spec) -> Result<Process, StartError> {
        let slot = self.registry.slot()?;
        let config = self.config();
        let command = spec.for_supervisor(&self.workspace);
        let (child, streams) = match spec.terminal {
            Some(size) => Streams::of_terminal(self.supervisor.spawn_on_terminal(command, size).await?),
            None => Streams::of_pipes(self.supervisor.spawn_on_pipes(command).await?, Stdin::Open),
        };
        let (sender, commands) = mpsc::channel(COMMANDS);
        let shared = Arc::new(Shared::new(config.max_log_bytes_per_process, INPUT_QUEUE_BYTES));
        let id = new_id();
        tracing::info!(process = %id, pid = child.pid(), command = %spec.command, "process started");
        let process = {
            let mut entries = self.registry.lock();
            let process = Process::new(Inner {
                id: id.clone(),
                number: entries.started,
                spec,
                created_at: Timestamp::now(),
                child: child.clone(),
                commands: sender,
                shared: Arc::clone(&shared),
            });
            entries.processes.insert(id.clone(), process.clone());
            process
        };
        let registry = Arc::clone(&self.registry);
        let owner = Owner { id, child, streams, commands, shared, registry, slot, input: Input::default() };
        self.owners.spawn(owner.run());
        Ok(process)
    }

    pub fn get(&self, id: &str) -> Option<Process> {
        self.registry.lock().processes.get(id).cloned()
    }

    /// Returns all processes, in the order of their creation.
    pub fn list(&self) -> Vec<ProcessInfo> {
        let mut processes: Vec<Process> = self.registry.lock().processes.values().cloned().collect();
        processes.sort_by_key(Process::number);
        processes.iter().map(Process::describe).collect()
    }

    /// Forgets a process that has ended.
    pub fn remove(&self, id: &str) -> Result<(), RemoveError> {
        let mut entries = self.registry.lock();
        let process = entries.processes.get(id).ok_or(RemoveError::Unknown)?;
        if process.ended().is_none() {
            return Err(RemoveError::Running);
        }
        entries.processes.remove(id);
        entries.ended.retain(|other| other != id);
        Ok(())
    }

    /// Numbers for those who watch.
    pub fn totals(&self) -> Totals {
        let entries = self.registry.lock();
        Totals { started: entries.started, running: entries.running, ended: entries.ended.len() }
    }

    /// Ends all of them, at once, each by SIGTERM, `grace`, SIGKILL. None can be started afterwards.
    pub async fn shutdown(&self, grace: Duration) {
        let processes: Vec<Process> = {
            let mut entries = self.registry.lock();
            entries.closing = true;
            entries.processes.values().cloned().collect()
        };
        let running = processes.iter().filter(|process| process.ended().is_none());
        futures_util::future::join_all(running.map(|process| process.stop(grace))).await;
        self.owners.close();
        self.owners.wait().await;
    }
}

impl std::fmt::Debug for Processes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Processes").field("totals", &self.totals()).finish_non_exhaustive()
    }
}

/// Not counted from 1: an id of an earlier daemon must not mean another process of this one.
fn new_id() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("proc_{}", random.get(..12).unwrap_or(&random))
}
