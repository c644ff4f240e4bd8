//! The daemon under test: the real binary on a free port of loopback.

mod builder;
mod log;

pub use builder::DaemonBuilder;

use crate::acp::Acp;
use crate::http::Http;
use crate::process::{Sandbox, exit_of};
use crate::procfs::{self, Process};
use anyhow::{Context, Result, bail};
use log::Log;
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A running daemon. Dropped, it is killed with all it started; a failing test shows its log.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    ended: bool,
    http: Http,
    log: Log,
    sandbox: Arc<Sandbox>,
    binary: PathBuf,
    /// Entry in the environment of every process that it starts, so that those that left its tree are found, too.
    mark: String,
}

/// The end of a daemon.
#[derive(Debug, Clone, Copy)]
pub struct Stopped {
    pub status: ExitStatus,
    /// The time from the signal to the exit.
    pub elapsed: Duration,
}

impl Daemon {
    /// Creates a daemon with a token and one agent, `puppet`.
    pub async fn start() -> Result<Self> {
        Self::builder().puppet(&[]).start().await
    }

    /// Returns a daemon in the making, without agents of the test's own.
    pub fn builder() -> DaemonBuilder {
        DaemonBuilder::default()
    }

    /// Returns the address: `http://ADDRESS:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.http.address())
    }

    /// Returns the token, unless it runs without one.
    pub fn token(&self) -> Option<&str> {
        self.http.token.as_deref()
    }

    /// Returns a client with the token.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// Returns a client of one ACP server.
    pub fn acp(&self, server: &str) -> Acp {
        Acp::new(&self.http, server)
    }

    /// Returns the home folder and environment; the builder of another daemon can take it over.
    pub fn sandbox(&self) -> Arc<Sandbox> {
        Arc::clone(&self.sandbox)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory.
    pub fn rss_bytes(&self) -> Result<u64> {
        Ok(self.status("VmRSS")? * 1024)
    }

    /// Returns the most resident memory that it ever had.
    pub fn peak_rss_bytes(&self) -> Result<u64> {
        Ok(self.status("VmHWM")? * 1024)
    }

    pub fn threads(&self) -> Result<u64> {
        self.status("Threads")
    }

    pub fn open_fds(&self) -> Result<usize> {
        procfs::open_descriptors(self.pid()).context("the daemon's descriptors")
    }

    /// Processor time that it has used, without its children.
    pub fn cpu_time(&self) -> Result<Duration> {
        Ok(procfs::process(self.pid()).context("the daemon's process")?.cpu)
    }

    fn status(&self, key: &str) -> Result<u64> {
        procfs::status_number(self.pid(), key).with_context(|| format!("the daemon's {key}"))
    }

    /// Returns all processes below it, zombies included.
    pub fn children(&self) -> Vec<Process> {
        procfs::descendants(self.pid())
    }

    /// Returns all running processes that it or its children started, also those that left its tree.
    pub fn leftovers(&self) -> Vec<Process> {
        let own = self.pid();
        procfs::marked_processes(&self.mark).into_iter().filter(|process| process.pid != own).collect()
    }

    pub fn stderr(&self) -> String {
        self.log.stderr()
    }

    pub fn stdout(&self) -> String {
        self.log.stdout()
    }

    pub fn signal(&self, signal: Signal) {
        if !self.ended {
            procfs::send(self.pid(), signal);
        }
    }

    /// Asks it to end with SIGTERM and waits until it has.
    pub async fn stop(&mut self) -> Result<Stopped> {
        let started = Instant::now();
        self.signal(Signal::TERM);
        let status = self.exited().await?;
        Ok(Stopped { status, elapsed: started.elapsed() })
    }

    /// Waits until it has ended.
    pub async fn exited(&mut self) -> Result<ExitStatus> {
        match exit_of(&mut self.child, crate::DEADLINE).await? {
            Some(status) => {
                self.ended = true;
                Ok(status)
            }
            None => bail!("the daemon still runs after {:?}", crate::DEADLINE),
        }
    }

    fn kill_all(&mut self) {
        // Once it has ended its id may be another's.
        let below = if self.ended { Vec::new() } else { self.children() };
        if !self.ended {
            // Failing means that it has ended; then waiting reaps it.
            let _ended = self.child.kill();
            let _reaped = self.child.wait();
        }
        for process in below.iter().chain(&self.leftovers()) {
            procfs::send(process.pid, Signal::KILL);
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill_all();
        self.log.finish();
        // Nextest shows the output of failing tests only, so it may have the log of those that return an error.
        if std::thread::panicking() || std::env::var_os("NEXTEST").is_some() {
            eprintln!("{}", self.log);
            if let Some(source) = crate::binaries::newer_source(&self.binary) {
                eprintln!("note: {} is older than {}", self.binary.display(), source.display());
            }
        }
    }
}
