//! The scripted model, as users start it.

use anyhow::{Context, Result};
use sa_testkit::{Sandbox, daemon_path};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// `sandbox-agent model`. Killed when dropped.
pub(crate) struct Model {
    child: Child,
    pub(crate) url: String,
}

impl Model {
    /// Starts a server on a free port. The rest of its output is not read.
    pub(crate) fn start(sandbox: &Sandbox) -> Result<Self> {
        let mut command = sandbox.command(daemon_path()?);
        command.args(["model", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("its output")?).read_line(&mut line)?;
        let url = line.trim().strip_prefix("listening on ").context("its address")?.to_owned();
        Ok(Self { child, url })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // Failing means that it has ended already.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
