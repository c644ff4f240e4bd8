//! Somebody who calls a daemon from a shell.

use anyhow::Result;
use sa_testkit::{Daemon, Finished, Sandbox, daemon_path};
use serde_json::Value;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;

/// Has the daemon's address and token in the environment.
pub(crate) struct Caller {
    sandbox: Arc<Sandbox>,
    endpoint: String,
    token: Option<String>,
}

impl Caller {
    pub(crate) fn of(daemon: &Daemon) -> Self {
        Self {
            sandbox: daemon.sandbox(),
            endpoint: daemon.base_url(),
            token: daemon.token().map(str::to_owned),
        }
    }

    pub(crate) fn without_token(mut self) -> Self {
        self.token = None;
        self
    }

    /// `sandbox-agent api` with these arguments, to be changed or run.
    pub(crate) fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = self.sandbox.command(daemon_path()?);
        command.env("SANDBOX_AGENT_ENDPOINT", &self.endpoint).arg("api").args(arguments);
        if let Some(token) = &self.token {
            command.env("SANDBOX_AGENT_TOKEN", token);
        }
        Ok(command)
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<Finished> {
        Finished::wait(self.command(arguments)?).await
    }

    /// Runs it with something on standard input.
    pub(crate) async fn run_with_input(&self, arguments: &[&str], input: &str) -> Result<Finished> {
        let (reader, mut writer) = std::io::pipe()?;
        writer.write_all(input.as_bytes())?;
        drop(writer);
        let mut command = self.command(arguments)?;
        command.stdin(reader);
        Finished::wait(command).await
    }

    /// Returns the output of a command that must succeed without complaints.
    pub(crate) async fn output(&self, arguments: &[&str]) -> Result<String> {
        let ended = self.run(arguments).await?;
        assert!(ended.status.success() && ended.stderr.is_empty(), "{arguments:?}: {ended}");
        Ok(ended.stdout)
    }

    pub(crate) async fn json(&self, arguments: &[&str]) -> Result<Value> {
        Ok(serde_json::from_str(&self.output(arguments).await?)?)
    }

    /// Returns the complaint of a command that must fail without output.
    pub(crate) async fn complaint(&self, arguments: &[&str]) -> Result<String> {
        let ended = self.run(arguments).await?;
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {ended}");
        assert!(ended.stdout.is_empty() && ended.stderr.starts_with("error: "), "{arguments:?}: {ended}");
        assert!(!ended.stderr.contains("panicked"), "{ended}");
        Ok(ended.stderr)
    }
}

/// Returns the cells of a table that was printed for people, without its headings.
pub(crate) fn rows(table: &str) -> Vec<Vec<&str>> {
    let cells = |line| str::split(line, "  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    table.lines().skip(1).map(cells).collect()
}
