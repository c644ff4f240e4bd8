//! A user's home with a daemon in the background.

use anyhow::{Context, Result, bail, ensure};
use sa_testkit::{Finished, Sandbox, Signal, daemon_path, send_signal};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kills the daemon that is left when dropped.
pub(crate) struct Home {
    pub(crate) sandbox: Sandbox,
    binary: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { sandbox: Sandbox::new()?, binary: daemon_path()? })
    }

    /// Creates the same user with another file as `sandbox-agent`.
    pub(crate) fn with_binary(binary: &Path) -> Result<Self> {
        Ok(Self { sandbox: Sandbox::new()?, binary: binary.to_owned() })
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.sandbox.data_home().join("sandbox-agent/daemon")
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = self.sandbox.command(&self.binary);
        command.args(line.split_ascii_whitespace());
        command
    }

    /// Runs a command line to its end.
    pub(crate) async fn run(&self, line: &str) -> Result<Finished> {
        Finished::wait(self.command(line)).await
    }

    /// Runs one that must succeed, and returns its output.
    pub(crate) async fn ok(&self, line: &str) -> Result<String> {
        let ended = self.run(line).await?;
        ensure!(ended.status.success() && ended.stderr.is_empty(), "{line}: {ended}");
        Ok(ended.stdout)
    }

    /// Runs one that must fail, and returns what it complains.
    pub(crate) async fn fails(&self, line: &str) -> Result<String> {
        let ended = self.run(line).await?;
        let said = ended.stderr.strip_prefix("error: ").map(str::to_owned);
        match said {
            Some(said) if ended.status.code() == Some(1) && ended.stdout.is_empty() => Ok(said),
            _ => bail!("{line}: {ended}"),
        }
    }

    /// Returns the status as JSON; the exit code says the same.
    pub(crate) async fn status(&self) -> Result<Value> {
        let ended = self.run("daemon status --json").await?;
        let status: Value = serde_json::from_str(&ended.stdout).with_context(|| ended.to_string())?;
        ensure!(ended.status.success() == (status["state"] == "running"), "{ended}");
        Ok(status)
    }

    pub(crate) async fn pid(&self) -> Result<u32> {
        let status = self.status().await?;
        let pid = status["pid"].as_u64().with_context(|| format!("no daemon: {status}"))?;
        Ok(u32::try_from(pid)?)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(log) = std::fs::read_to_string(self.folder().join("daemon.log"))
        {
            eprintln!("--- daemon.log\n{log}");
        }
        let record = std::fs::read(self.folder().join("daemon.json")).unwrap_or_default();
        let record: Value = serde_json::from_slice(&record).unwrap_or_default();
        if let Some(pid) = record["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
            && sa_testkit::process(pid).is_some_and(|process| process.name.contains("sandbox-agent"))
        {
            send_signal(pid, Signal::KILL);
        }
    }
}
