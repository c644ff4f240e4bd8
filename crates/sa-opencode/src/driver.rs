//! Runs the machine on a pair of streams and a real process.

use super::core::{Core, Host};
use super::endpoint::LocalEndpoints;
use super::gate;
use super::launch::{CONTENT, Launch, still};
use super::limits::LIMITS;
use sa_acp::{Cli, Limits, LocalDisk, Machine, Program};
use std::ffi::OsString;
use std::path::PathBuf;
use std::{fs, io};

#[derive(Debug)]
pub struct Options {
    pub cli: Cli,
    /// The home directory: where the CLI is started.
    pub home: PathBuf,
    /// The place in which the CLI keeps its settings: `OPENCODE_CONFIG_DIR`, or `opencode` in the directory for settings.
    pub config_dir: PathBuf,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path for the user with that home, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            cli: Cli::new(program),
            config_dir: home.join(".config/opencode"),
            home,
            allow_bypass: false,
            limits: LIMITS,
        }
    }

    /// Returns the agent, ready to run.
    pub fn into_program(self) -> io::Result<Program<Core>> {
        let directory = tempfile::Builder::new().prefix("sandbox-agent-opencode-").tempdir()?;
        let plugin = directory.path().join(gate::FILE);
        fs::write(&plugin, gate::PLUGIN)?;
        let host = Host {
            disk: Box::new(LocalDisk),
            endpoints: Box::new(LocalEndpoints),
            home: self.home.clone(),
            allow_bypass: self.allow_bypass,
            limits: self.limits,
        };
        let named = |variables: &[(OsString, OsString)]| {
            let found = variables.iter().rev().find(|(name, _)| name == CONTENT);
            found.map(|(_, value)| value.to_string_lossy().into_owned())
        };
        let content = named(&self.cli.env).or_else(|| named(&self.cli.inherited));
        let (home, config) = (self.home, self.config_dir);
        let command = move |cli: &Cli, launch: &Launch| {
            still(&config);
            let cwd = Some(home.clone()).filter(|home| home.is_dir());
            let mut command = cli.command(launch.arguments(), Vec::new(), cwd);
            command.env.extend(launch.variables(content.as_deref(), &plugin));
            command
        };
        Ok(Program::new(Machine::new(host), self.cli, self.limits, command).with_resources(directory))
    }
}
