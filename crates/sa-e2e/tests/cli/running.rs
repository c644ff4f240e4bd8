//! A command that is still running, line by line.

use anyhow::{Context, Result, ensure};
use sa_testkit::{DEADLINE, until_some, within};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use tokio::sync::mpsc::{Receiver, channel};

/// Lines that may wait to be looked at; then the command waits.
const LINES: usize = 1024;

/// Killed when dropped.
pub(crate) struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    complaints: Receiver<String>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let output = lines(child.stdout.take().context("no output")?);
        let complaints = lines(child.stderr.take().context("no standard error")?);
        let input = child.stdin.take();
        Ok(Self { child, input, output, complaints })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line to its standard input.
    pub(crate) fn write(&mut self, line: &str) -> Result<()> {
        let input = self.input.as_mut().context("its input was closed")?;
        Ok(writeln!(input, "{line}")?)
    }

    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Returns the next line of its output.
    pub(crate) async fn line(&mut self) -> Result<String> {
        let line = within("a line of output", DEADLINE, self.output.recv()).await?;
        line.context("the output ended instead of the next line")
    }

    /// Returns the next line as JSON.
    pub(crate) async fn json(&mut self) -> Result<Value> {
        let line = self.line().await?;
        serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))
    }

    /// Returns the next line of its standard error.
    pub(crate) async fn complaint(&mut self) -> Result<String> {
        let line = within("a line on standard error", DEADLINE, self.complaints.recv()).await?;
        line.context("standard error ended instead of the next line")
    }

    /// Waits until it ends, without further output.
    pub(crate) async fn end(&mut self) -> Result<ExitStatus> {
        let status = until_some("it to end", || self.child.try_wait().ok().flatten()).await?;
        for stream in [&mut self.output, &mut self.complaints] {
            let rest = within("the end of its output", DEADLINE, stream.recv()).await?;
            ensure!(rest.is_none(), "it also said: {rest:?}");
        }
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Failing means that it has ended; then waiting reaps it.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel(LINES);
    thread::spawn(move || {
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        // Nobody listens any more once the test is over.
        lines.map(|line| sender.blocking_send(line)).find(Result::is_err);
    });
    receiver
}
