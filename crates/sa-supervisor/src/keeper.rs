//! The one thread that forks and reaps.
//!
//! That both happen here settles three things by construction: a child is in the list before its end can be
//! collected; `wait` for any child never takes the status that the standard library waits for when exec failed;
//! and the thread whose end would kill the children lives as long as the daemon.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::command::{self, CommandSpec};
use crate::environment::{self, DAEMON_MARKER, TREE_MARKER, Variables, nested_marker};
use crate::error::SpawnError;
use crate::fork;
use crate::guardian::GuardianLink;
use crate::host::Host;
use crate::limits;
use crate::oom::OomCounter;
use crate::process::Exit;
use crate::terminal::{Pair, TerminalSize};
use crate::tree::Tree;

/// The settings that one supervisor gives to each of its children.
pub(crate) struct Household {
    pub(crate) daemon: Uuid,
    /// The markers of the supervisor that started this process, if one did.
    pub(crate) outer_tree: Option<String>,
    pub(crate) outer_daemon: Option<String>,
    pub(crate) env: Variables,
    pub(crate) closing: AtomicBool,
    pub(crate) guardian: Arc<GuardianLink>,
}

pub(crate) struct Launch {
    pub(crate) spec: CommandSpec,
    /// The size of the terminal it starts on; without one it starts on pipes.
    pub(crate) terminal: Option<TerminalSize>,
    pub(crate) household: Arc<Household>,
}

pub(crate) enum Request {
    Launch { launch: Box<Launch>, reply: oneshot::Sender<Result<Newborn, SpawnError>> },
    Reap,
    Settle { reply: oneshot::Sender<()> },
}

/// A child that nobody has taken charge of yet.
pub(crate) struct Newborn {
    pub(crate) streams: Streams,
    pub(crate) status: oneshot::Receiver<Exit>,
    pub(crate) cradle: Cradle,
}

/// The daemon's ends of a child's standard streams.
pub(crate) enum Streams {
    Pipes { stdin: OwnedFd, stdout: OwnedFd, stderr: OwnedFd },
    Terminal(Pair),
}

/// Ends the child if its caller was dropped in the meantime.
pub(crate) struct Cradle {
    tree: Arc<Tree>,
    host: Arc<Host>,
    taken: bool,
}

impl Cradle {
    /// Somebody has the child in hand now.
    pub(crate) fn take(mut self) -> Arc<Tree> {
        self.taken = true;
        Arc::clone(&self.tree)
    }
}

impl Drop for Cradle {
    fn drop(&mut self) {
        if !self.taken {
            self.host.sweeper().end(&self.tree, Duration::ZERO);
        }
    }
}

/// Whose end is awaited.
enum Ward {
    Leader { tree: Arc<Tree>, status: oneshot::Sender<Exit>, oom_kills: u64 },
    Guardian(Arc<GuardianLink>),
}

pub(crate) struct Keeper {
    host: Arc<Host>,
    wards: HashMap<Pid, Ward>,
    oom: OomCounter,
}

impl Keeper {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Keeper { host, wards: HashMap::new(), oom: OomCounter::find() }
    }

    pub(crate) fn run(mut self, mut inbox: mpsc::Receiver<Request>) {
        fork::block_signals();
        while let Some(request) = inbox.blocking_recv() {
            match request {
                Request::Launch { launch, reply } => {
                    // A reply that nobody takes drops the newborn, and its cradle ends it.
                    let _ = reply.send(self.launch(&launch));
                }
                Request::Reap => {}
                Request::Settle { reply } => {
                    let _ = reply.send(());
                }
            }
            // SIGCHLD may have come before anything listened, or while the queue was full.
            self.reap();
        }
    }

    fn launch(&mut self, launch: &Launch) -> Result<Newborn, SpawnError> {
        let Launch { spec, terminal, household } = launch;
        if household.closing.load(Ordering::Acquire) {
            return Err(SpawnError::ShuttingDown);
        }
        environment::check_names(&spec.env)?;
        let id = Uuid::new_v4();
        let mut env = household.env.clone();
        env.extend(spec.env.iter().cloned());
        let marker =
            |outer: &Option<String>, own: Uuid| nested_marker(outer.as_deref(), &own.to_string()).into();
        env.push((TREE_MARKER.into(), marker(&household.outer_tree, id)));
        env.push((DAEMON_MARKER.into(), marker(&household.outer_daemon, household.daemon)));
        let cwd = spec.cwd.as_deref().map(command::check_directory).transpose()?;
        let path = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let program = command::find_program(&spec.program, path, cwd.as_deref())?;

        let host = Arc::clone(&self.host);
        let _forking = host.hold_forks();
        self.ensure_guardian(&household.guardian);
        let pair = terminal.map(Pair::open).transpose()?;
        let end = pair.as_ref().map(|pair| &pair.peer);
        let child = fork::start_child(&program, spec, cwd.as_deref(), &env, end)
            .map_err(|error| command::explain_refusal(&program, error))?;
        self.register(child, pair, id, household)
    }

    fn register(
        &mut self,
        child: Child,
        pair: Option<Pair>,
        id: Uuid,
        household: &Household,
    ) -> Result<Newborn, SpawnError> {
        let incomplete = || SpawnError::Io(io::Error::other("the new process has no pipes"));
        let pid = Pid::from_raw(child.id().cast_signed()).ok_or_else(incomplete)?;
        let tree = Arc::new(Tree::new(id, pid, Arc::clone(&household.guardian)));
        let (sender, status) = oneshot::channel();
        if self.host.tree_count() < limits::LARGE_PIPES
            && let Some(stdout) = &child.stdout
        {
            enlarge(stdout);
        }
        self.host.remember(&tree);
        household.guardian.add(tree.pid());
        self.wards.insert(
            pid,
            Ward::Leader { tree: Arc::clone(&tree), status: sender, oom_kills: self.oom.kills() },
        );
        let cradle = Cradle { tree, host: Arc::clone(&self.host), taken: false };
        let streams = match (pair, child.stdin, child.stdout, child.stderr) {
            (Some(pair), ..) => Streams::Terminal(pair),
            (None, Some(stdin), Some(stdout), Some(stderr)) => {
                Streams::Pipes { stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() }
            }
            _ => return Err(incomplete()),
        };
        Ok(Newborn { streams, status, cradle })
    }

    fn ensure_guardian(&mut self, guardian: &Arc<GuardianLink>) {
        if let Some(pid) = guardian.ensure() {
            self.host.add_servant(pid.as_raw_pid());
            self.wards.insert(pid, Ward::Guardian(Arc::clone(guardian)));
        }
    }

    /// Collects every ended child. SIGCHLD reports that there is one, never how many.
    fn reap(&mut self) {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => self.on_exit(pid, status),
                Ok(None) | Err(Errno::CHILD) => return,
                Err(Errno::INTR) => {}
                Err(error) => {
                    tracing::error!(%error, "cannot collect ended processes");
                    return;
                }
            }
        }
    }

    fn on_exit(&mut self, pid: Pid, status: WaitStatus) {
        let exit = Exit { code: status.exit_status(), signal: status.terminating_signal() };
        if exit.code.or(exit.signal).is_none() {
            // Stopped or continued, which was not asked for.
            return;
        }
        match self.wards.remove(&pid) {
            Some(Ward::Leader { tree, status, oom_kills }) => {
                if !tree.was_killed() && self.oom.claim(oom_kills, &exit) {
                    tree.out_of_memory();
                }
                tree.leader_was_reaped();
                // Nobody attends to a newborn that was never taken.
                if let Err(exit) = status.send(exit) {
                    tree.announce_exit(exit);
                }
            }
            Some(Ward::Guardian(guardian)) => {
                self.host.remove_servant(pid.as_raw_pid());
                guardian.ended(pid);
            }
            None => tracing::trace!(pid = pid.as_raw_pid(), "collected an orphan"),
        }
    }
}

#[cfg(target_os = "linux")]
fn enlarge(pipe: &impl std::os::fd::AsFd) {
    // Best effort: the default capacity works as well, only slower.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, limits::STDOUT_PIPE_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn enlarge(_pipe: &impl std::os::fd::AsFd) {}
