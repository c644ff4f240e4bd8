//! Somebody with a home folder and an environment.

use anyhow::{Context, Result};
use sa_testkit::{Finished, Sandbox, daemon_path};
use serde_json::Value;
use std::fs;
use std::process::Command;

pub(crate) struct Person {
    sandbox: Sandbox,
    variables: Vec<(String, String)>,
}

impl Person {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { sandbox: Sandbox::new()?, variables: Vec::new() })
    }

    pub(crate) fn file(self, name: &str, content: &str) -> Result<Self> {
        let path = self.sandbox.home().join(name);
        fs::create_dir_all(path.parent().context("a file in a folder")?)?;
        fs::write(path, content)?;
        Ok(self)
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn home(&self) -> &str {
        self.sandbox.home().to_str().unwrap()
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.sandbox.command(program);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `sandbox-agent credentials` with these arguments to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<Finished> {
        let mut command = self.command(daemon_path()?.to_str().unwrap());
        command.arg("credentials").args(arguments);
        Finished::wait(command).await
    }

    /// Returns the output as JSON, with any exit code.
    pub(crate) async fn json(&self, arguments: &[&str]) -> Result<(Value, Option<i32>)> {
        let ended = self.run(arguments).await?;
        let value = serde_json::from_str(&ended.stdout).with_context(|| ended.to_string())?;
        Ok((value, ended.status.code()))
    }
}
