//! Runs one command from start to end, within a timeout that always fires.

use crate::error::StartError;
use crate::handle::status;
use crate::registry::Processes;
use crate::spec::{RunBounds, Spec};
use crate::streams::{Stdin, Streams};
use sa_api::{ExitStatus, ProcessLogsStream};
use sa_supervisor::{Exit, Process as Child};
use std::time::{Duration, Instant};

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    pub exit: ExitStatus,
    /// Set if it was ended by the timeout.
    pub timed_out: bool,
    pub stdout: Captured,
    pub stderr: Captured,
    /// The time from start to end.
    pub duration: Duration,
}

/// The beginning of an output stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    pub bytes: Vec<u8>,
    /// Set if there was more.
    pub truncated: bool,
}

/// Kills a command that nobody waits for any more.
struct Leash(Option<Child>);

impl Drop for Leash {
    fn drop(&mut self) {
        if let Some(child) = &self.0 {
            child.kill();
        }
    }
}

impl Processes {
    /// Runs a command to its end and collects its output. Input is empty. When this returns nothing of the command is
    /// left but what closed its output and then lived on for an instant; dropping the future kills it.
    pub async fn run(&self, spec: Spec, bounds: RunBounds) -> Result<RunOutcome, StartError> {
        let _slot = self.registry.slot()?;
        let config = self.config();
        let longest = Duration::from_millis(config.max_run_timeout_ms);
        let usual = Duration::from_millis(config.default_run_timeout_ms);
        let timeout = bounds.timeout.unwrap_or(usual).min(longest);
        let limit = bounds.output_bytes.unwrap_or(config.max_output_bytes).min(config.max_output_bytes);
        let started = Instant::now();
        let child = self.supervisor.spawn_on_pipes(spec.for_supervisor(&self.workspace)).await?;
        let (child, streams) = Streams::of_pipes(child, Stdin::Empty);
        let mut leash = Leash(Some(child.clone()));
        let output = Output { limit, stdout: Captured::default(), stderr: Captured::default() };
        let mut run = Run { streams, output };
        let (exit, timed_out) = match tokio::time::timeout(timeout, run.until_end(&child)).await {
            Ok(exit) => (exit, false),
            Err(_) => (child.stop(Duration::ZERO).await, true),
        };
        run.take_rest();
        leash.0 = None;
        Ok(RunOutcome {
            exit: status(&child, exit),
            timed_out,
            stdout: run.output.stdout,
            stderr: run.output.stderr,
            duration: started.elapsed(),
        })
    }
}

/// The beginnings of both output streams.
struct Output {
    limit: usize,
    stdout: Captured,
    stderr: Captured,
}

impl Output {
    fn push(&mut self, stream: ProcessLogsStream, bytes: &[u8]) {
        let captured = if stream == ProcessLogsStream::Stderr { &mut self.stderr } else { &mut self.stdout };
        let room = self.limit.saturating_sub(captured.bytes.len());
        captured.bytes.extend(bytes.iter().take(room));
        captured.truncated |= bytes.len() > room;
    }
}

/// A command that runs.
struct Run {
    streams: Streams,
    output: Output,
}

impl Run {
    /// Waits for the exit, and for the output to end. Other processes that hold the output are ended soon after the
    /// exit, which bounds the wait.
    async fn until_end(&mut self, child: &Child) -> Exit {
        let mut exit = None;
        loop {
            if let Some(exit) = &exit
                && !self.streams.has_output()
            {
                return Exit::clone(exit);
            }
            tokio::select! {
                ended = child.wait(), if exit.is_none() => exit = Some(ended),
                () = child.gone(), if exit.is_some() => self.take_rest(),
                stream = self.streams.readable() => self.streams.read(stream, |bytes| self.output.push(stream, bytes)),
            }
        }
    }

    fn take_rest(&mut self) {
        self.streams.drain(|stream, bytes| self.output.push(stream, bytes));
    }
}
