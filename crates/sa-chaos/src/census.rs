//! Processes of the daemon as `/proc` shows them, distinguished by their start times.

use anyhow::{Context, Result};
use sa_testkit::Daemon;
use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// A process that its id alone does not name: ids are used again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) pid: u32,
    started: u64,
}

impl Identity {
    /// Returns the process that has the id now, if it runs.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, tail) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
        // The state is the first field after the name, the start time the twentieth.
        let is_running = !matches!(*fields.first()?, "Z" | "X");
        Some(Self { pid, started: fields.get(19)?.parse().ok()? }).filter(|_| is_running)
    }

    /// Reads a process from its id and start time.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (pid, started) = line.split_once(' ')?;
        Some(Self { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    pub(crate) fn is_alive(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }
}

/// Waits until none of the processes runs; returns those that still do at the deadline.
pub(crate) async fn wait_for_end(processes: &[Identity], deadline: Duration) -> Vec<&Identity> {
    let started = Instant::now();
    loop {
        let left: Vec<&Identity> = processes.iter().filter(|process| process.is_alive()).collect();
        if left.is_empty() || started.elapsed() > deadline {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Resources that the daemon uses at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Memory that the daemon has for itself. Pages of its program come and go with the page cache.
    pub(crate) memory: u64,
    resident: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
    pub(crate) processes: u64,
}

impl Usage {
    pub(crate) fn of(daemon: &Daemon) -> Result<Self> {
        let processes = daemon.children();
        Ok(Self {
            memory: anonymous_bytes(daemon.pid()).context("anonymous memory")?,
            resident: daemon.rss_bytes()?,
            descriptors: daemon.open_fds()? as u64,
            threads: daemon.threads().context("threads")?,
            processes: processes.len() as u64,
        })
    }
}

fn anonymous_bytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (memory, resident) = (self.memory as f64 / 1e6, self.resident as f64 / 1e6);
        let Self { descriptors, threads, processes, .. } = self;
        write!(
            f,
            "{memory:.1} MB ({resident:.1} MB resident), {descriptors} descriptors, {threads} threads, {processes} processes"
        )
    }
}
