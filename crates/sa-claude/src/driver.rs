//! Runs the machine on a pair of streams and real processes.

use super::core::Host;
use super::disk::ConfigDir;
use super::launch::Launch;
use super::limits::Limits;
use super::machine::Machine;
use super::token::Token;
use sa_acp::Processes;
use sa_supervisor::CommandSpec;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// How long the CLI waits for an MCP server to start, in milliseconds.
const MCP_TIMEOUT: &str = "MCP_TIMEOUT";

/// How the agent is run.
pub struct Options {
    /// The CLI.
    pub program: PathBuf,
    /// The environment that the CLI inherits.
    pub inherited: Vec<(OsString, OsString)>,
    /// What is set on top of it, credentials for example.
    pub env: Vec<(OsString, OsString)>,
    /// Where the CLI keeps its files: `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory.
    pub config_dir: PathBuf,
    /// Whether the CLI is run by the superuser.
    pub is_root: bool,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Whether a client may choose models that the CLI does not list.
    pub any_model: bool,
    /// The credential that the client gave for its sessions, which comes before all others.
    pub token: Option<Token>,
    /// Where the agent keeps what the CLI does not; without it that ends with this process.
    pub state_dir: Option<PathBuf>,
    /// See there.
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path with its files in that directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, config_dir: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            inherited: Vec::new(),
            env: Vec::new(),
            config_dir: config_dir.into(),
            is_root: false,
            allow_bypass: false,
            any_model: false,
            token: None,
            state_dir: None,
            limits: Limits::default(),
        }
    }
}

/// Values of variables may be secrets: only names of those that were added are shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options")
            .field("program", &self.program)
            .field("env", &names)
            .field("config_dir", &self.config_dir)
            .field("is_root", &self.is_root)
            .field("allow_bypass", &self.allow_bypass)
            .finish_non_exhaustive()
    }
}

/// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp claude`.
pub fn run_stdio(options: Options) -> ExitCode {
    let (machine, processes) = options.into_parts();
    sa_acp::drive_stdio(machine, processes)
}

/// Serves one client until its side of the connection ends. No process is left when this returns.
pub async fn run(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    options: Options,
) -> ExitCode {
    let (machine, processes) = options.into_parts();
    sa_acp::drive(input, output, machine, processes).await
}

impl Options {
    fn into_parts(self) -> (Machine, Processes<Launch>) {
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
        let (program, mut added) = (self.program, self.env);
        // The CLI's own limit is as long as ours, so that it would not be known which server was late.
        if !self.inherited.iter().any(|(name, _)| name == MCP_TIMEOUT) {
            let limit = self.limits.mcp.saturating_sub(Duration::from_secs(1)).as_millis();
            added.push((MCP_TIMEOUT.into(), limit.to_string().into()));
        }
        let command = move |launch: &Launch| {
            let mut env = launch.environment();
            env.extend(added.iter().cloned());
            CommandSpec {
                program: program.clone().into(),
                args: launch.arguments(),
                env,
                cwd: Some(launch.cwd.clone()),
                ..CommandSpec::default()
            }
        };
        let processes = Processes {
            name: "claude",
            inherited: self.inherited,
            command: Box::new(command),
            grace: self.limits.grace,
        };
        (Machine::new(host), processes)
    }
}
