//! A program that outlives the one that started it: the daemon, put into the background by a command.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

/// A program to put into the background. It must call [`leave_session`] first thing.
#[derive(Debug)]
pub struct DetachedCommand {
    pub program: PathBuf,
    /// The name that lists of processes show.
    pub name: &'static str,
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub directory: PathBuf,
    /// Takes its standard error.
    pub log: File,
}

/// A program in the background. It keeps running when this handle is dropped.
#[derive(Debug)]
pub struct Detached {
    child: Child,
}

impl DetachedCommand {
    /// Starts it, with no input. Its standard output can be read as long as somebody is interested.
    pub fn spawn(self) -> io::Result<(Detached, ChildStdout)> {
        let mut child = Command::new(self.program)
            .arg0(self.name)
            .args(self.args)
            .env_clear()
            .envs(self.env)
            .current_dir(self.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log)
            .spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("its output cannot be read"))?;
        Ok((Detached { child }, output))
    }
}

impl Detached {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns how it ended, if it has.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Kills it, for a start that failed half-way.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

/// Leaves the terminal: closing it, or Ctrl-C at it, no longer concerns this process.
pub fn leave_session() -> io::Result<()> {
    Ok(rustix::process::setsid().map(drop)?)
}
