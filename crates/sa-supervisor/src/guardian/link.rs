//! The daemon's side of the guardian: starts it, reports what runs, notices its death.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::watch;
use uuid::Uuid;

use crate::fork;
use parking_lot::{Mutex, MutexGuard};

/// The command of the guardian, which does nothing but call [`guardian_main`](crate::guardian_main).
#[derive(Debug, Clone)]
pub struct GuardianCommand {
    /// The program; the daemon's own file, normally.
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

/// One guardian at most, started with the first child and again with the next one after it died.
pub(crate) struct GuardianLink {
    command: Option<GuardianCommand>,
    daemon: Uuid,
    state: Mutex<State>,
    running: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    current: Option<Guardian>,
    groups: BTreeSet<u32>,
    closed: bool,
}

struct Guardian {
    pid: Pid,
    pipe: OwnedFd,
}

impl Guardian {
    /// Writes one line. It is far below what a pipe takes in one piece, so it is written whole or not at all. The
    /// pipe does not block: a guardian that does not read must not delay the daemon.
    fn write_line(&self, line: &str) -> io::Result<()> {
        rustix::io::write(&self.pipe, line.as_bytes())?;
        Ok(())
    }

    /// Gets rid of a guardian while the daemon lives. It must not see the end of the pipe: it would take that
    /// for the death of the daemon.
    fn dismiss(&self) {
        let _ = kill_process(self.pid, Signal::KILL);
    }
}

impl GuardianLink {
    pub(crate) fn new(command: Option<GuardianCommand>, daemon: Uuid) -> Self {
        GuardianLink { command, daemon, state: Mutex::default(), running: watch::Sender::new(false) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Starts a guardian if there should be one and is none; gives back the pid of a new one. Without it the
    /// children still run, only less safely: the failure is logged.
    pub(crate) fn ensure(&self) -> Option<Pid> {
        let command = self.command.as_ref()?;
        let mut state = self.state();
        if state.closed || state.current.is_some() {
            return None;
        }
        match self.start(command, &state.groups) {
            Ok(guardian) => {
                let pid = guardian.pid;
                state.current = Some(guardian);
                self.running.send_replace(true);
                Some(pid)
            }
            Err(error) => {
                tracing::warn!(%error, "cannot start the guardian; a killed daemon could leave processes behind");
                None
            }
        }
    }

    fn start(&self, command: &GuardianCommand, groups: &BTreeSet<u32>) -> io::Result<Guardian> {
        let mut child = fork::start_guardian(&command.program, &command.args)?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let (Some(pid), Some(pipe)) = (pid, child.stdin.take()) else {
            return Err(io::Error::other("the new process has no pipe"));
        };
        let guardian = Guardian { pid, pipe: pipe.into() };
        self.brief(&guardian, groups).inspect_err(|_| guardian.dismiss())?;
        Ok(guardian)
    }

    /// Reports all groups. The pipe is empty and takes thousands of lines, so this does not wait for the guardian to
    /// read.
    fn brief(&self, guardian: &Guardian, groups: &BTreeSet<u32>) -> io::Result<()> {
        guardian.write_line(&format!("daemon {}\n", self.daemon))?;
        for group in groups {
            guardian.write_line(&format!("add {group}\n"))?;
        }
        Ok(rustix::io::ioctl_fionbio(&guardian.pipe, true)?)
    }

    pub(crate) fn add(&self, group: u32) {
        let mut state = self.state();
        state.groups.insert(group);
        state.write_line(&format!("add {group}\n"));
    }

    pub(crate) fn release(&self, group: u32) {
        let mut state = self.state();
        state.groups.remove(&group);
        state.write_line(&format!("del {group}\n"));
    }

    /// Notes that the keeper collected a guardian.
    pub(crate) fn ended(&self, pid: Pid) {
        let mut state = self.state();
        if state.current.as_ref().is_some_and(|guardian| guardian.pid == pid) {
            state.current = None;
            tracing::warn!("the guardian has ended; the next process starts another");
        }
        if state.current.is_none() {
            self.running.send_replace(false);
        }
    }

    /// Lets the guardian go: it finds nothing to kill after an orderly shutdown. No other is started.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.current = None;
    }

    pub(crate) async fn wait(&self) {
        // The sender lives in `self`, so the channel cannot close under this wait.
        let _ = self.running.subscribe().wait_for(|running| !running).await;
    }
}

impl State {
    fn write_line(&mut self, line: &str) {
        let Some(guardian) = &self.current else { return };
        if let Err(error) = guardian.write_line(line) {
            tracing::warn!(%error, "the guardian does not listen; the next process starts another");
            guardian.dismiss();
            self.current = None;
        }
    }
}
