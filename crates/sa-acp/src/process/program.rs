//! An agent that is ready to run: its state machine, and how the processes behind it are started.

use crate::process::driver::serve;
use crate::process::limits::Limits;
use crate::protocol::stdio::run_on_stdio;
use crate::session::adapter::Adapter;
use crate::session::machine::Machine;
use sa_supervisor::CommandSpec;
use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::io::{AsyncRead, AsyncWrite};

/// The CLI of an agent and the environment of its processes.
#[derive(Default)]
pub struct Cli {
    pub program: PathBuf,
    /// The environment that processes inherit.
    pub inherited: Vec<(OsString, OsString)>,
    /// Variables set on top of it.
    pub env: Vec<(OsString, OsString)>,
}

impl Cli {
    /// Returns the CLI at that path, with an empty environment.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), ..Self::default() }
    }

    /// Returns the command with these arguments. Variables of the CLI come before `env`.
    pub fn command(
        &self,
        args: Vec<OsString>,
        mut env: Vec<(OsString, OsString)>,
        cwd: Option<PathBuf>,
    ) -> CommandSpec {
        env.extend(self.env.iter().cloned());
        CommandSpec { program: self.program.clone().into(), args, env, cwd, ..CommandSpec::default() }
    }
}

/// Values of variables may be secrets: only names of those that were added are shown.
impl fmt::Debug for Cli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Cli").field("program", &self.program).field("env", &names).finish_non_exhaustive()
    }
}

/// A value that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Returns the command of a launch.
pub(crate) type CommandOf<L> = Box<dyn Fn(&L) -> CommandSpec + Send>;

/// An agent that is ready to run.
pub struct Program<A: Adapter> {
    pub(crate) machine: Machine<A>,
    /// The agent's name in error messages.
    pub(crate) name: &'static str,
    pub(crate) inherited: Vec<(OsString, OsString)>,
    pub(crate) command: CommandOf<A::Launch>,
    pub(crate) limits: Limits,
    pub(crate) permission_socket: Option<UnixListener>,
    /// Held until the agent and all of its processes have ended.
    pub(crate) resources: Option<Box<dyn Any + Send>>,
}

/// The environment may hold secrets.
impl<A: Adapter> fmt::Debug for Program<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<A: Adapter> Program<A> {
    /// Returns an agent whose processes `command` starts.
    pub fn new(
        mut machine: Machine<A>,
        mut cli: Cli,
        limits: Limits,
        command: impl Fn(&Cli, &A::Launch) -> CommandSpec + Send + 'static,
    ) -> Self {
        Self {
            name: machine.profile().name,
            machine,
            inherited: std::mem::take(&mut cli.inherited),
            command: Box::new(move |launch| command(&cli, launch)),
            limits,
            permission_socket: None,
            resources: None,
        }
    }

    /// Serves helper programs of the CLI at this socket. `resources` are held until the agent and its processes have ended.
    pub fn with_permission_socket(mut self, socket: UnixListener, resources: impl Any + Send) -> Self {
        self.permission_socket = Some(socket);
        self.with_resources(resources)
    }

    /// Holds `resources` until the agent and its processes have ended.
    pub fn with_resources(mut self, resources: impl Any + Send) -> Self {
        self.resources = Some(Box::new(resources));
        self
    }

    /// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp`.
    pub fn run_stdio(self) -> ExitCode {
        let name = self.name;
        run_on_stdio(async |input, output| self.run(input, output).await)
            .unwrap_or_else(|error| cannot_start(name, &error))
    }

    /// Serves one client until its side of the connection ends. No process is left when this returns.
    pub async fn run(self, input: impl AsyncRead + Unpin, output: impl AsyncWrite + Unpin) -> ExitCode {
        serve(input, output, self).await
    }
}

/// Reports that an agent cannot start on standard error, which nobody may be reading.
pub(crate) fn cannot_start(name: &str, error: &dyn fmt::Display) -> ExitCode {
    let _ = writeln!(io::stderr(), "{name}: cannot start: {error}");
    ExitCode::FAILURE
}
