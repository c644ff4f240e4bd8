//! Running other programs from the root of the workspace.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn root() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    own.ancestors().nth(2).map_or_else(|| own.clone(), Path::to_owned)
}

/// Returns the folder that cargo builds into.
pub(crate) fn target() -> Result<PathBuf> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps"]).output()?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let target = metadata.get("target_directory").and_then(|path| path.as_str());
    target.map(PathBuf::from).context("cargo does not say where it builds")
}

/// Returns a cargo command: the same cargo that runs this.
pub(crate) fn cargo(arguments: &[&str]) -> Program {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Program::new(cargo).args(arguments)
}

/// A program about to run.
pub(crate) struct Program {
    command: Command,
}

impl Program {
    /// In the root of the workspace, without standard input.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.current_dir(root()).stdin(Stdio::null());
        Self { command }
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: &[S]) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it with its output on ours.
    pub(crate) fn run(mut self) -> Result<()> {
        let status = self.command.status().with_context(|| format!("cannot run {}", self.name()))?;
        if !status.success() {
            bail!("{}: {status}", self.name());
        }
        Ok(())
    }

    /// Runs it and gives its standard output.
    pub(crate) fn output(mut self) -> Result<String> {
        let output = self.command.output().with_context(|| format!("cannot run {}", self.name()))?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            bail!("{}: {}\n{}", self.name(), output.status, complaint.trim_end());
        }
        String::from_utf8(output.stdout).with_context(|| format!("the output of {}", self.name()))
    }

    /// Runs it and gives all that it wrote, its standard error last.
    pub(crate) fn everything(mut self) -> Result<String> {
        let output = self.command.output().with_context(|| format!("cannot run {}", self.name()))?;
        let written = [output.stdout, output.stderr].concat();
        let written = String::from_utf8_lossy(&written).into_owned();
        if !output.status.success() {
            bail!("{}: {}\n{}", self.name(), output.status, written.trim_end());
        }
        Ok(written)
    }

    /// Runs it with its standard error on ours; returns its standard output, and whether it succeeded.
    pub(crate) fn answer(mut self) -> Result<(String, bool)> {
        let output = self.command.stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("cannot run {}", self.name()))?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success()))
    }

    /// Runs it; returns all that it wrote, in the order in which it did, and whether it succeeded.
    pub(crate) fn transcript(mut self) -> Result<(String, bool)> {
        let name = self.name();
        let (mut reader, writer) = std::io::pipe()?;
        self.command.stdout(writer.try_clone()?).stderr(writer);
        let mut child = self.command.spawn().with_context(|| format!("cannot run {name}"))?;
        // The command holds the pipe's write ends; the pipe ends only when they are closed.
        drop(self);
        let mut written = Vec::new();
        reader.read_to_end(&mut written).with_context(|| format!("the output of {name}"))?;
        Ok((String::from_utf8_lossy(&written).into_owned(), child.wait()?.success()))
    }

    /// Returns whether the program is there and runs.
    pub(crate) fn works(mut self) -> bool {
        let quiet = self.command.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }

    /// Becomes it, with the terminal's input, so that signals reach it directly. Comes back only on failure.
    pub(crate) fn become_it(mut self) -> anyhow::Error {
        let error = self.command.stdin(Stdio::inherit()).exec();
        anyhow::Error::new(error).context(format!("cannot run {}", self.name()))
    }

    fn name(&self) -> String {
        let program = Path::new(self.command.get_program()).file_name().unwrap_or_default().to_owned();
        let words = std::iter::once(program.as_os_str()).chain(self.command.get_args());
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }
}
