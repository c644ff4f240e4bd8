//! Runs the machine on a pair of streams and a real process.

use super::core::Host;
use super::launch::Launch;
use super::limits::Limits;
use super::machine::Machine;
use sa_acp::{LocalDisk, Processes};
use sa_supervisor::CommandSpec;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::io::{AsyncRead, AsyncWrite};

/// How the agent is run.
pub struct Options {
    /// The CLI. Its helpers lie beside it as they were installed.
    pub program: PathBuf,
    /// The environment that the CLI inherits.
    pub inherited: Vec<(OsString, OsString)>,
    /// What is set on top of it.
    pub env: Vec<(OsString, OsString)>,
    /// Where the CLI keeps its files: `CODEX_HOME`, or `.codex` in the home directory. It is made if it is missing. The CLI
    /// does without some of its helpers if this is a directory for temporary files.
    pub codex_home: PathBuf,
    /// The key for the model's API. It is given to the CLI without being stored. Without one, the CLI's own login counts.
    pub api_key: Option<String>,
    /// The variable that holds the key if the client gave it for its sessions: it comes before all others, also with a
    /// provider of the user's own.
    pub token_variable: Option<String>,
    /// Where the model's API is, if not where the CLI expects it.
    pub base_url: Option<String>,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Whether a client may choose models that the CLI does not list.
    pub any_model: bool,
    /// See there.
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path with its files in that directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, codex_home: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            inherited: Vec::new(),
            env: Vec::new(),
            codex_home: codex_home.into(),
            api_key: None,
            token_variable: None,
            base_url: None,
            allow_bypass: false,
            any_model: false,
            limits: Limits::default(),
        }
    }

    fn into_parts(self) -> (Machine, Processes<Launch>) {
        let host = Host {
            disk: Box::new(LocalDisk),
            api_key: self.api_key,
            token_variable: self.token_variable,
            base_url: self.base_url,
            allow_bypass: self.allow_bypass,
            any_model: self.any_model,
            limits: self.limits,
        };
        let (program, home, added) = (self.program, self.codex_home, self.env);
        let command = move |launch: &Launch| {
            // The CLI refuses to start without it, and says so.
            let _ = fs::create_dir_all(&home);
            let mut env = vec![("CODEX_HOME".into(), home.clone().into_os_string())];
            env.extend(added.iter().cloned());
            CommandSpec {
                program: program.clone().into(),
                args: launch.arguments(),
                env,
                cwd: Some(home.clone()),
                ..CommandSpec::default()
            }
        };
        let processes = Processes {
            name: "codex",
            inherited: self.inherited,
            command: Box::new(command),
            grace: self.limits.grace,
        };
        (Machine::new(host), processes)
    }
}

/// Values of variables and the key are secrets: only names of those that were added are shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options")
            .field("program", &self.program)
            .field("env", &names)
            .field("codex_home", &self.codex_home)
            .field("base_url", &self.base_url)
            .field("allow_bypass", &self.allow_bypass)
            .finish_non_exhaustive()
    }
}

/// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp codex`.
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
