//! A program that is talked to in lines on its standard streams: a vendor's CLI, or the adapter in front of it.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// One such program. It ends with its value.
pub(crate) struct Talker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talker {
    /// Starts it in this directory, which is its home, too.
    pub(crate) fn start(mut command: Command, home: &Path, env: &[(&str, &str)]) -> Result<Self> {
        command.env_clear().env("HOME", home).current_dir(home).envs(env.iter().copied());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("no streams")
        };
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// Writes one line.
    pub(crate) fn say(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }

    /// Reads until a line that `is_it`; the others are handed to `other`.
    pub(crate) fn hear(
        &mut self,
        is_it: impl Fn(&Value) -> bool,
        mut other: impl FnMut(&Value),
    ) -> Result<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("it ended");
            }
            let message: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
            if is_it(&message) {
                return Ok(message);
            }
            other(&message);
        }
    }

    /// Memory that is its own in KiB: what its program's file gives is shared with every other copy.
    pub(crate) fn own_memory(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        let _gone_already = self.child.kill();
        let _reaped_already = self.child.wait();
    }
}
