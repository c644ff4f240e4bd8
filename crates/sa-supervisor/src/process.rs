//! The handle to one child, and the task that attends to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use crate::host::Host;
use crate::limits;
use crate::stderr::Stderr;
use crate::tree::Tree;

/// The end of a process: exactly one of the two is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// The exit code, unless a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl Exit {
    pub(crate) fn killed() -> Self {
        Exit { code: None, signal: Some(libc::SIGKILL) }
    }
}

/// Handle to a child. Dropping every handle changes nothing for the child.
#[derive(Clone)]
pub struct Process {
    tree: Arc<Tree>,
    host: Arc<Host>,
}

impl Process {
    pub(crate) fn new(tree: Arc<Tree>, host: Arc<Host>) -> Self {
        Process { tree, host }
    }

    /// Returns the process id, which is also the number of its process group.
    pub fn pid(&self) -> u32 {
        self.tree.pid()
    }

    /// Returns the exit, once the process has ended.
    pub fn exit(&self) -> Option<Exit> {
        self.tree.exit()
    }

    /// Waits for the end of the process itself; what it left behind is ended in the background. By then
    /// `stderr_tail` is complete, if stderr is kept here. Cancel-safe, for any number of waiters.
    pub async fn wait(&self) -> Exit {
        self.tree.exited().await
    }

    /// Ends the process and all that descends from it: SIGTERM, `grace`, SIGKILL. Nothing of it is left when
    /// this returns, unless the kernel holds a member in a system call for seconds after SIGKILL; that is logged.
    ///
    /// Calls share one stop, and the shortest grace counts. Dropping the future does not take the stop back.
    pub async fn stop(&self, grace: Duration) -> Exit {
        self.host.sweeper().end(&self.tree, grace);
        self.tree.ended().await;
        match tokio::time::timeout(limits::REAP_LIMIT, self.tree.exited()).await {
            Ok(exit) => exit,
            // SIGKILL is pending: no other end is possible.
            Err(_) => Exit::killed(),
        }
    }

    /// Begins to end it and all that descends from it, by SIGKILL at once, and does not wait for that.
    pub fn kill(&self) {
        self.host.sweeper().end(&self.tree, Duration::ZERO);
    }

    /// Waits until nothing of its tree is left, for any reason. Cancel-safe.
    pub async fn gone(&self) {
        self.tree.ended().await;
    }

    /// Returns whether the kernel killed it because memory ran out, as far as the kernel reports that. Known with its
    /// exit.
    pub fn ran_out_of_memory(&self) -> bool {
        self.tree.ran_out_of_memory()
    }

    /// Returns the last 64 KiB of stderr as text; starts with a whole line when something before it was dropped.
    pub fn stderr_tail(&self) -> String {
        self.tree.tail().text()
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("pid", &self.pid()).field("exit", &self.exit()).finish()
    }
}

/// Announces the exit of a child whose streams are its caller's, then has its remaining descendants ended.
pub(crate) async fn await_exit(host: Arc<Host>, tree: Arc<Tree>, status: oneshot::Receiver<Exit>) {
    tree.announce_exit(status.await.unwrap_or_else(|_| Exit::killed()));
    host.sweeper().end_orphans(&tree);
}

/// Waits for the exit of a child whose stderr is kept here.
pub(crate) async fn attend(
    host: Arc<Host>,
    tree: Arc<Tree>,
    stderr: pipe::Receiver,
    mut status: oneshot::Receiver<Exit>,
) {
    let mut stderr = Stderr::new(stderr, &tree);
    let status = tokio::select! {
        status = &mut status => {
            // A descendant may hold the pipe open forever; the output of the process itself is there already.
            let _ = tokio::time::timeout(limits::STDERR_SETTLE, stderr.drain()).await;
            status
        }
        () = stderr.drain() => status.await,
    };
    tree.announce_exit(status.unwrap_or_else(|_| Exit::killed()));
    host.sweeper().end_orphans(&tree);
    tokio::select! {
        () = stderr.drain() => {}
        () = tree.ended() => {}
    }
    stderr.finish();
}
