//! Runs one command from start to end, within a timeout that always fires.

use crate::error::StartError;
use crate::registry::Processes;
use crate::scratch::Look;
use crate::spec::{RunBounds, Spec};
use crate::streams::{Stdin, Streams};
use sa_api::ProcessLogsStream;
use sa_supervisor::{Exit, Process as Child};
use std::time::{Duration, Instant};

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// The exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// Number of the signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Set if the kernel killed it because memory ran out.
    pub out_of_memory: bool,
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

impl Captured {
    fn push(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len());
        self.bytes.extend(bytes.iter().take(room));
        self.truncated |= bytes.len() > room;
    }
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
        let mut run = Run { streams, limit, stdout: Captured::default(), stderr: Captured::default() };
        let (exit, timed_out) = match tokio::time::timeout(timeout, run.until_end(&child)).await {
            Ok(exit) => (exit, false),
            Err(_) => (child.stop(Duration::ZERO).await, true),
        };
        run.take_rest();
        leash.0 = None;
        Ok(RunOutcome {
            code: exit.code,
            signal: exit.signal,
            out_of_memory: child.ran_out_of_memory(),
            timed_out,
            stdout: run.stdout,
            stderr: run.stderr,
            duration: started.elapsed(),
        })
    }
}

/// A command that runs.
struct Run {
    streams: Streams,
    limit: usize,
    stdout: Captured,
    stderr: Captured,
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
                stream = self.streams.readable() => drop(self.read(stream)),
            }
        }
    }

    fn read(&mut self, stream: ProcessLogsStream) -> Look {
        let captured = if stream == ProcessLogsStream::Stderr { &mut self.stderr } else { &mut self.stdout };
        let limit = self.limit;
        self.streams.read(stream, |bytes| captured.push(bytes, limit))
    }

    fn take_rest(&mut self) {
        let Self { streams, limit, stdout, stderr } = self;
        streams.drain(|stream, bytes| {
            let captured = if stream == ProcessLogsStream::Stderr { &mut *stderr } else { &mut *stdout };
            captured.push(bytes, *limit);
        });
    }
}
