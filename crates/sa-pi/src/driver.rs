//! Runs the machine on a pair of streams and real processes.

use super::core::{Core, Host};
use super::disk::LocalFiles;
use super::launch::Launch;
use sa_acp::{Cli, Limits, LocalDisk, Machine, Program};
use std::fs;
use std::io;
use std::path::PathBuf;

/// The extension that asks before tools run.
const GATE: &str = include_str!("gate.mjs");

#[derive(Debug)]
pub struct Options {
    pub cli: Cli,
    /// The CLI's directory: `PI_CODING_AGENT_DIR`, or `.pi/agent` in the home directory.
    pub agent_dir: PathBuf,
    /// Allows clients to switch to the mode that never asks.
    pub allow_bypass: bool,
    pub limits: Limits,
}

impl Options {
    /// Returns the CLI at that path with its files in that directory, an empty environment and safe settings.
    pub fn new(program: impl Into<PathBuf>, agent_dir: impl Into<PathBuf>) -> Self {
        Self {
            cli: Cli::new(program),
            agent_dir: agent_dir.into(),
            allow_bypass: false,
            limits: Limits::USUAL,
        }
    }

    /// Returns the agent, ready to run.
    pub fn into_program(self) -> io::Result<Program<Core>> {
        let directory = tempfile::Builder::new().prefix("sandbox-agent-pi-").tempdir()?;
        let gate = directory.path().join("gate.mjs");
        fs::write(&gate, GATE)?;
        let host = Host {
            disk: Box::new(LocalDisk),
            files: Box::new(LocalFiles { sessions: self.agent_dir.join("sessions") }),
            allow_bypass: self.allow_bypass,
            limits: self.limits,
        };
        let command = move |cli: &Cli, launch: &Launch| {
            // Updates are the installer's business.
            let env = ["PI_OFFLINE", "PI_SKIP_VERSION_CHECK"].map(|name| (name.into(), "1".into()));
            cli.command(launch.arguments(&gate), env.into(), Some(launch.cwd.clone()))
        };
        let program = Program::new(Machine::new(host), self.cli, self.limits, command);
        Ok(program.with_resources(directory))
    }
}
