//! Runs the machine on a pair of streams and real processes.

use super::core::{Core, Host};
use super::disk::ConfigDir;
use super::launch::Launch;
use super::token::Token;
use sa_acp::{Cli, Limits, Machine, Program};
use std::path::PathBuf;
use std::time::Duration;

/// The time for which the CLI waits for an MCP server to start, in milliseconds.
const MCP_TIMEOUT: &str = "MCP_TIMEOUT";

#[derive(Debug)]
pub struct Options {
    pub cli: Cli,
    /// The place in which the CLI keeps its files: `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory.
    pub config_dir: PathBuf,
    /// Set if the CLI is run by the superuser.
    pub is_root: bool,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Set if a client may choose models that the CLI does not list.
    pub any_model: bool,
    /// The credential that the client gave for its sessions, which comes before all others.
    pub token: Option<Token>,
    /// The directory for state that the CLI does not keep; without it that ends with this process.
    pub state_dir: Option<PathBuf>,
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path with its files in that directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, config_dir: impl Into<PathBuf>) -> Self {
        Self {
            cli: Cli::new(program),
            config_dir: config_dir.into(),
            is_root: false,
            allow_bypass: false,
            any_model: false,
            token: None,
            state_dir: None,
            limits: Limits::USUAL,
        }
    }
}

impl Options {
    /// Returns the agent, ready to run.
    pub fn into_program(self) -> Program<Core> {
        let host = Host {
            new_id: Box::new(|| uuid::Uuid::new_v4().to_string()),
            disk: Box::new(ConfigDir { config: self.config_dir.clone(), state: self.state_dir }),
            plans: self.config_dir.join("plans"),
            allow_bypass: self.allow_bypass,
            is_root: self.is_root,
            any_model: self.any_model,
            token: self.token,
            limits: self.limits,
        };
        let mut cli = self.cli;
        // The CLI's own limit is as long as ours, so that it would not be known which server was late.
        if !cli.inherited.iter().any(|(name, _)| name == MCP_TIMEOUT) {
            let limit = self.limits.mcp.saturating_sub(Duration::from_secs(1)).as_millis();
            cli.env.push((MCP_TIMEOUT.into(), limit.to_string().into()));
        }
        Program::new(Machine::new(host), cli, self.limits, |cli, launch: &Launch| {
            cli.command(launch.arguments(), launch.environment(), Some(launch.cwd.clone()))
        })
    }
}
