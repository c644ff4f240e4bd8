//! The supervisor: starts children, and ends all of them at shutdown.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};
use uuid::Uuid;

use crate::command::CommandSpec;
use crate::environment::{BaseEnv, DAEMON_MARKER, TREE_MARKER};
use crate::error::{SpawnError, StartError};
use crate::guardian::{GuardianCommand, GuardianLink};
use crate::host::Host;
use crate::keeper::{Household, Launch, Newborn, Streams};
use crate::limits;
use crate::process::{Process, attend, await_exit};
use crate::terminal::{Terminal, TerminalSize};
use crate::tree::Tree;

/// The settings that a supervisor gives to its children.
#[derive(Debug, Clone)]
pub struct SupervisorOptions {
    /// The environment every child starts from.
    pub env: BaseEnv,
    /// The command of the guardian, which ends the children when the daemon was killed. `None`: there is none.
    pub guardian: Option<GuardianCommand>,
}

/// Starts children and knows all of them. Clones are the same supervisor.
#[derive(Clone)]
pub struct Supervisor {
    host: Arc<Host>,
    household: Arc<Household>,
}

/// A child that has started, with the daemon's ends of its stdin and stdout.
#[derive(Debug)]
pub struct Spawned {
    /// The handle to it.
    pub process: Process,
    /// The child's stdin; drop it to close it.
    pub stdin: pipe::Sender,
    pub stdout: pipe::Receiver,
}

/// A child whose stderr is read by the caller; no tail of it is kept.
#[derive(Debug)]
pub struct OnPipes {
    /// The handle to it.
    pub process: Process,
    /// The child's stdin; drop it to close it.
    pub stdin: pipe::Sender,
    pub stdout: pipe::Receiver,
    pub stderr: pipe::Receiver,
}

/// A child that has started on a terminal.
#[derive(Debug)]
pub struct OnTerminal {
    /// The handle to it.
    pub process: Process,
    /// The daemon's end of the terminal. Dropping it hangs up on the child.
    pub terminal: Terminal,
}

impl Supervisor {
    /// Starts a supervisor on the current tokio runtime, which needs its I/O and time drivers.
    ///
    /// From now on every ended child of this process is collected here, also one that other code started: that
    /// code must not wait for it. A program may start several supervisors; they share what a process has only
    /// once and differ in environment, guardian and the children they end at shutdown.
    pub fn start(options: SupervisorOptions) -> Result<Supervisor, StartError> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(StartError::NoRuntime);
        }
        let mut ended_children = signal(SignalKind::child()).map_err(StartError::Signal)?;
        let host = Host::get()?;
        let listener = Arc::clone(&host);
        tokio::spawn(async move {
            // Children that ended before the line above are collected here.
            listener.reap();
            while ended_children.recv().await.is_some() {
                listener.reap();
            }
        });
        let daemon = Uuid::new_v4();
        let household = Arc::new(Household {
            daemon,
            outer_tree: options.env.marker(TREE_MARKER),
            outer_daemon: options.env.marker(DAEMON_MARKER),
            env: options.env.into_variables(),
            closing: AtomicBool::new(false),
            guardian: Arc::new(GuardianLink::new(options.guardian, daemon)),
        });
        Ok(Supervisor { host, household })
    }

    /// Starts a child in a new process group, with piped stdin and stdout. If the future is dropped before it is
    /// ready, a child that did start is killed.
    pub async fn spawn(&self, spec: CommandSpec) -> Result<Spawned, SpawnError> {
        let newborn = self.launch(spec, None).await?;
        // Until the cradle is emptied, an error ends the child.
        let (stdin, stdout, stderr) = pipes(newborn.streams)?;
        let tree = newborn.cradle.take();
        tokio::spawn(attend(Arc::clone(&self.host), Arc::clone(&tree), stderr, newborn.status));
        Ok(Spawned { process: self.handle(tree), stdin, stdout })
    }

    /// Starts a child whose stderr the caller must read: a full pipe stops the child.
    pub async fn spawn_on_pipes(&self, spec: CommandSpec) -> Result<OnPipes, SpawnError> {
        let newborn = self.launch(spec, None).await?;
        let (stdin, stdout, stderr) = pipes(newborn.streams)?;
        let tree = newborn.cradle.take();
        tokio::spawn(await_exit(Arc::clone(&self.host), Arc::clone(&tree), newborn.status));
        Ok(OnPipes { process: self.handle(tree), stdin, stdout, stderr })
    }

    /// Starts a child in a new session, with a terminal of that size as stdin, stdout and stderr.
    pub async fn spawn_on_terminal(
        &self,
        spec: CommandSpec,
        size: TerminalSize,
    ) -> Result<OnTerminal, SpawnError> {
        let newborn = self.launch(spec, Some(size)).await?;
        let Streams::Terminal(pair) = newborn.streams else { return Err(unexpected_streams()) };
        let terminal = Terminal::new(pair)?;
        let tree = newborn.cradle.take();
        tokio::spawn(await_exit(Arc::clone(&self.host), Arc::clone(&tree), newborn.status));
        Ok(OnTerminal { process: self.handle(tree), terminal })
    }

    async fn launch(&self, spec: CommandSpec, terminal: Option<TerminalSize>) -> Result<Newborn, SpawnError> {
        if self.household.closing.load(Ordering::Acquire) {
            return Err(SpawnError::ShuttingDown);
        }
        let household = Arc::clone(&self.household);
        self.host.launch(Launch { spec, terminal, household }).await
    }

    fn handle(&self, tree: Arc<Tree>) -> Process {
        Process::new(tree, Arc::clone(&self.host))
    }

    /// Ends every tree of this supervisor, each as [`Process::stop`] does and all at once, then the guardian.
    /// Afterwards, and already while this runs, `spawn` fails with [`SpawnError::ShuttingDown`].
    pub async fn shutdown(&self, grace: Duration) {
        self.household.closing.store(true, Ordering::Release);
        // Whatever the keeper started before it saw the flag is in the list after this.
        self.host.settle().await;
        let guardian = &self.household.guardian;
        let trees = self.host.trees(|tree| Arc::ptr_eq(tree.guardian(), guardian));
        for tree in &trees {
            self.host.sweeper().end(tree, grace);
        }
        for tree in &trees {
            tree.ended().await;
        }
        // Callers that wait for an exit have it before the daemon closes its connections.
        let _ = tokio::time::timeout(limits::REAP_LIMIT, async {
            for tree in &trees {
                tree.exited().await;
            }
        })
        .await;
        self.host.sweeper().end_strays().await;
        guardian.close();
        if tokio::time::timeout(limits::SHUTDOWN_LIMIT, guardian.wait()).await.is_err() {
            tracing::warn!("the guardian is still at work");
        }
    }
}

fn pipes(streams: Streams) -> Result<(pipe::Sender, pipe::Receiver, pipe::Receiver), SpawnError> {
    let Streams::Pipes { stdin, stdout, stderr } = streams else { return Err(unexpected_streams()) };
    let (stdout, stderr) = (pipe::Receiver::from_owned_fd(stdout)?, pipe::Receiver::from_owned_fd(stderr)?);
    Ok((pipe::Sender::from_owned_fd(stdin)?, stdout, stderr))
}

/// Returns the error for streams of another kind than requested.
fn unexpected_streams() -> SpawnError {
    SpawnError::Io(io::Error::other("the new process has other streams than it should"))
}

impl std::fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supervisor").field("daemon", &self.household.daemon).finish_non_exhaustive()
    }
}
