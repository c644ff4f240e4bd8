//! Runs the binary under test in a clean environment.

use crate::binaries::daemon_path;
use crate::wait::{DEADLINE, POLL};
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A home folder and an environment that hold nothing of the developer's. Removed when dropped.
#[derive(Debug)]
pub struct Sandbox {
    root: TempDir,
    home: PathBuf,
}

impl Sandbox {
    /// Creates a fresh one.
    pub fn new() -> Result<Self> {
        let root = tempfile::Builder::new().prefix("sa-testkit-").tempdir().context("a temporary folder")?;
        let home = root.path().join("home");
        let sandbox = Self { root, home };
        for folder in [&sandbox.home, &sandbox.data_home(), &sandbox.temporary()] {
            fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        Ok(sandbox)
    }

    /// Returns the value of `HOME`.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the value of `XDG_DATA_HOME`.
    pub fn data_home(&self) -> PathBuf {
        self.home.join("data")
    }

    /// Returns a path for a file of the test's own.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn temporary(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Returns a command with this environment and no standard input.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(&self.home).stdin(Stdio::null());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.env("HOME", &self.home).env("LANG", "C.UTF-8");
        command.env("XDG_DATA_HOME", self.data_home()).env("TMPDIR", self.temporary());
        command
    }

    /// Runs `sandbox-agent` with these arguments to its end.
    pub async fn run<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> Result<Finished> {
        let mut command = self.command(daemon_path()?);
        command.args(arguments);
        Finished::wait(command).await
    }
}

/// A process that ran to its end.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    /// The time from start to end.
    pub elapsed: Duration,
}

impl Finished {
    /// Runs a command to its end, which must come before the deadline.
    pub async fn wait(command: Command) -> Result<Self> {
        Self::within(command, DEADLINE).await
    }

    pub async fn within(mut command: Command, deadline: Duration) -> Result<Self> {
        let started = Instant::now();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let Some(status) = exit_of(&mut child, deadline).await? else {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} still ran after {deadline:?}; stderr: {}", text(stderr));
        };
        Ok(Self { status, stdout: text(stdout), stderr: text(stderr), elapsed: started.elapsed() })
    }
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n--- stdout\n{}\n--- stderr\n{}", self.status, self.stdout, self.stderr)
    }
}

/// Returns the exit status of the child, or nothing if it has not ended by the deadline.
pub(crate) async fn exit_of(child: &mut Child, deadline: Duration) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("waiting for a process")? {
            return Ok(Some(status));
        }
        if started.elapsed() > deadline {
            return Ok(None);
        }
        tokio::time::sleep(POLL).await;
    }
}

fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // The bytes before an error are worth more than the error.
            let _cut = stream.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn text(collected: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&collected.join().unwrap_or_default()).into_owned()
}
