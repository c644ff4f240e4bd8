//! The daemon under test: one process at a time, always on the same data.

use crate::census::Identity;
use crate::faults::Preload;
use crate::oracle::Oracle;
use crate::wire::{Trouble, Wire};
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, Signal};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The end of the log of this many lives is kept for a report.
const LIVES: usize = 3;
/// Lines of each log that a report shows.
const TAIL: usize = 25;
/// A stopping daemon has ended by then: `shutdown-ms`, `stop-grace-ms` and much room for a busy machine.
const SHUTDOWN: Duration = Duration::from_secs(25);
/// Processes of a killed daemon are gone by then.
const CLEANUP: Duration = Duration::from_secs(20);

/// Times and sizes that are reached within a round.
const CONFIGURATION: &str = "
[sessions]
cancel-ms = 1500
start-ms = 20000
call-ms = 10000
silence-ms = 20000
";

/// The daemon and its data.
pub(crate) struct World {
    pub(crate) daemon: Daemon,
    pub(crate) wire: Wire,
    sandbox: Arc<Sandbox>,
    data: PathBuf,
    preload: Option<Preload>,
    oracle: Oracle,
    logs: VecDeque<String>,
}

impl World {
    pub(crate) async fn start(
        oracle: &Oracle,
        sandbox: Sandbox,
        data: PathBuf,
        preload: Option<&Preload>,
    ) -> Result<Self> {
        let sandbox = Arc::new(sandbox);
        let daemon = launch(&sandbox, &data, preload).await?;
        let wire = Wire::new(daemon.http().clone(), oracle.clone());
        let preload = preload.cloned();
        Ok(Self { daemon, wire, sandbox, data, preload, oracle: oracle.clone(), logs: VecDeque::new() })
    }

    /// The directory where a session's agent works.
    pub(crate) fn workspace(&self, session: &str) -> Result<PathBuf> {
        let path = self.sandbox.path("work").join(session);
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(path)
    }

    /// Returns whether the daemon has the library of faults.
    pub(crate) fn has_preload(&self) -> bool {
        self.preload.as_ref().is_some_and(|preload| preload.is_used_by(self.daemon.pid()))
    }

    pub(crate) fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    pub(crate) fn data(&self) -> &PathBuf {
        &self.data
    }

    /// Kills the daemon as `kill -9` does. Its guardian, if it has one, must leave no process.
    pub(crate) async fn kill(&mut self, has_guardian: bool) -> Result<()> {
        self.wire.set_trouble(Trouble::Ending);
        self.daemon.signal(Signal::KILL);
        self.daemon.exited().await?;
        if has_guardian {
            self.expect_no_process("the daemon was killed").await;
        }
        Ok(())
    }

    /// Stops the daemon with SIGTERM.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        self.wire.set_trouble(Trouble::Ending);
        let stopped = self.daemon.stop().await?;
        let is_orderly = stopped.status.code() == Some(0) && stopped.elapsed < SHUTDOWN;
        self.oracle.expect(is_orderly, "daemon", || format!("SIGTERM ended it with {stopped:?}"));
        self.expect_no_process("the daemon was stopped").await;
        Ok(())
    }

    async fn expect_no_process(&self, when: &str) {
        let started = Instant::now();
        loop {
            let left = self.daemon.leftovers();
            if left.is_empty() {
                self.oracle.observed(1);
                return;
            }
            if started.elapsed() > CLEANUP {
                self.oracle.differ("daemon", format_args!("{CLEANUP:?} after {when}, these run: {left:?}"));
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Starts another daemon on the same data, after the last one has ended.
    pub(crate) async fn restart(&mut self) -> Result<()> {
        self.keep_log();
        let started = Instant::now();
        // The old one is dropped first: it kills processes that are left over, which have been reported by now.
        let daemon = launch(&self.sandbox, &self.data, self.preload.as_ref())
            .await
            .context("the daemon does not start on its data")?;
        self.daemon = daemon;
        self.wire = Wire::new(self.daemon.http().clone(), self.oracle.clone());
        self.oracle
            .note("daemon", format_args!("started as {} in {:.0?}", self.daemon.pid(), started.elapsed()));
        Ok(())
    }

    fn keep_log(&mut self) {
        if self.logs.len() == LIVES {
            self.logs.pop_front();
        }
        self.logs.push_back(tail(&self.daemon));
    }

    /// Returns the end of the log of the last lives.
    pub(crate) fn logs(&self) -> String {
        let logs = self.logs.iter().cloned().chain([tail(&self.daemon)]);
        logs.collect::<Vec<_>>().join("\n")
    }

    /// Returns the guardian, if it runs.
    pub(crate) fn guardian(&self) -> Option<Identity> {
        let children = self.daemon.children();
        let guardian =
            children.iter().find(|child| child.parent == self.daemon.pid() && is_guardian(child.pid));
        guardian.and_then(|child| Identity::of(child.pid))
    }

    /// Returns all running processes below the daemon but its guardian.
    pub(crate) fn agents(&self) -> Vec<Identity> {
        let children = self.daemon.children();
        let agents = children.iter().filter(|child| !child.is_zombie() && !is_guardian(child.pid));
        agents.filter_map(|child| Identity::of(child.pid)).collect()
    }
}

fn is_guardian(pid: u32) -> bool {
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    arguments.split(|byte| *byte == 0).any(|argument| argument == b"guardian")
}

fn tail(daemon: &Daemon) -> String {
    let log = daemon.stderr();
    let lines: Vec<&str> = log.lines().collect();
    let shown = lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default();
    format!("--- log of daemon {}\n{}", daemon.pid(), shown.join("\n"))
}

async fn launch(sandbox: &Arc<Sandbox>, data: &std::path::Path, preload: Option<&Preload>) -> Result<Daemon> {
    let rogue = std::env::current_exe()?.with_file_name("sa-rogue");
    let rogue = rogue.display().to_string();
    let adapters = ["claude", "codex"]
        .map(|cli| format!("[agents.rogue-{cli}]\nbuiltin = \"{cli}\"\ncommand = {rogue:?}\n"));
    let environment = preload.map(Preload::environment).into_iter().flatten();
    environment
        .fold(Daemon::builder(), |builder, (name, value)| builder.env(name, &value))
        .sandbox(Arc::clone(sandbox))
        .arg("--data-dir")
        .arg(&data.display().to_string())
        .agent("rogue", &rogue)
        .puppet(&[])
        .puppet_as("stubborn", &["--ignore-term"])
        .limit("log-bytes", 1024 * 1024)
        .limit("stop-grace-ms", 300)
        .limit("drain-ms", 200)
        .limit("silence-ms", 20_000)
        .config(CONFIGURATION)
        .config(&adapters.concat())
        .start()
        .await
}
