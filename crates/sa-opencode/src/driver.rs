//! Runs the machine on a pair of streams and a real process.

use super::core::Host;
use super::door::LocalDoors;
use super::launch::{CONTENT, Launch, still};
use super::limits::Limits;
use super::machine::Machine;
use sa_acp::{LocalDisk, Processes};
use sa_supervisor::CommandSpec;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::io::{AsyncRead, AsyncWrite};

/// How the agent is run.
pub struct Options {
    /// The CLI.
    pub program: PathBuf,
    /// The environment that the CLI inherits.
    pub inherited: Vec<(OsString, OsString)>,
    /// What is set on top of it.
    pub env: Vec<(OsString, OsString)>,
    /// The home directory: where the CLI is started.
    pub home: PathBuf,
    /// Where the CLI keeps its settings: `OPENCODE_CONFIG_DIR`, or `opencode` in the directory for settings.
    pub config_dir: PathBuf,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// See there.
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path for the user with that home, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            program: program.into(),
            inherited: Vec::new(),
            env: Vec::new(),
            config_dir: home.join(".config/opencode"),
            home,
            allow_bypass: false,
            limits: Limits::default(),
        }
    }

    fn into_parts(self) -> (Machine, Processes<Launch>) {
        let host = Host {
            disk: Box::new(LocalDisk),
            doors: Box::new(LocalDoors),
            home: self.home.clone(),
            allow_bypass: self.allow_bypass,
            limits: self.limits,
        };
        let named = |variables: &[(OsString, OsString)]| {
            let found = variables.iter().rev().find(|(name, _)| name == CONTENT);
            found.map(|(_, value)| value.to_string_lossy().into_owned())
        };
        let content = named(&self.env).or_else(|| named(&self.inherited));
        let (program, home, config, added) = (self.program, self.home, self.config_dir, self.env);
        let command = move |launch: &Launch| {
            still(&config);
            let mut env = added.clone();
            env.extend(launch.variables(content.as_deref()));
            CommandSpec {
                program: program.clone().into(),
                args: launch.arguments(),
                env,
                cwd: Some(home.clone()).filter(|home| home.is_dir()),
                ..CommandSpec::default()
            }
        };
        let processes = Processes {
            name: "opencode",
            inherited: self.inherited,
            command: Box::new(command),
            grace: self.limits.grace,
        };
        (Machine::new(host), processes)
    }
}

/// Values of variables are secrets: only names of those that were added are shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options")
            .field("program", &self.program)
            .field("env", &names)
            .field("home", &self.home)
            .field("allow_bypass", &self.allow_bypass)
            .finish_non_exhaustive()
    }
}

/// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp opencode`.
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
