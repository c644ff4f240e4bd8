//! The `pipe` floor: the stand-in agent on plain pipes, driven with blocking I/O.

use crate::process::{Programs, SCRATCH_BYTES};
use crate::wire::{Echo, Prompt};
use anyhow::{Context, Result, ensure};
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, Signal, kill_process};
use sa_bench::message::{Numbered, now};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// An agent that this process drives directly.
pub(crate) struct PipeAgent {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    scratch: Vec<u8>,
}

impl PipeAgent {
    /// Starts an agent; `mode` is `idle` or empty.
    pub(crate) fn start(programs: &Programs, mode: Option<&str>) -> Result<Self> {
        let mut command = Command::new(&programs.agent);
        let mut child = command
            .args(mode)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the agent")?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = child.stdout.take().context("no stdout")?;
        Ok(Self { child, stdin, stdout, scratch: Vec::new() })
    }

    /// Gives the agent's output a larger pipe than programs get by default.
    pub(crate) fn widen(&self, bytes: usize) -> Result<()> {
        fcntl_setpipe_size(&self.stdout, bytes)?;
        Ok(())
    }

    pub(crate) fn send(&mut self, line: &[u8]) -> Result<()> {
        Ok(self.stdin.write_all(line)?)
    }

    /// Reads until `lines` answers have come.
    pub(crate) fn read_lines(&mut self, mut lines: usize) -> Result<()> {
        while lines > 0 {
            let got = memchr::memchr_iter(b'\n', self.read()?).count();
            lines = lines.saturating_sub(got);
        }
        Ok(())
    }

    /// Round trips with `window` requests under way for `time`; returns each one's nanoseconds.
    pub(crate) fn round_trips(&mut self, window: usize, time: Duration) -> Result<Vec<u64>> {
        let mut echo = Echo::line();
        let mut sent = std::collections::VecDeque::with_capacity(window);
        let mut batch = Vec::new();
        let mut taken = Vec::new();
        let end = Instant::now() + time;
        let mut room = window;
        while room > 0 || !sent.is_empty() {
            if Instant::now() < end {
                batch.clear();
                (0..room).for_each(|_| batch.extend_from_slice(echo.next(0)));
                sent.extend(std::iter::repeat_n(now(), room));
                self.stdin.write_all(&batch)?;
            } else if sent.is_empty() {
                break;
            }
            room = memchr::memchr_iter(b'\n', self.read()?).count();
            let arrived = now();
            taken.extend(sent.drain(..room.min(sent.len())).map(|at| arrived - at));
        }
        Ok(taken)
    }

    /// Has the agent write a prompt's messages and reads them all; returns the seconds.
    pub(crate) fn stream(&mut self, prompt: Prompt) -> Result<f64> {
        let start = Instant::now();
        self.stdin.write_all(format!("{}\n", prompt.json()).as_bytes())?;
        // One line more: the answer to the prompt.
        self.read_lines(usize::try_from(prompt.count)? + 1)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Returns the delays of a paced prompt's messages in nanoseconds; each comes in one read.
    pub(crate) fn paced(&mut self, prompt: Prompt) -> Result<Vec<u64>> {
        self.stdin.write_all(format!("{}\n", prompt.json()).as_bytes())?;
        let mut delays = Vec::new();
        let mut lines = 0;
        while lines <= prompt.count {
            let read = self.read()?;
            let arrived = now();
            for line in read.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                lines += 1;
                delays
                    .extend(Numbered::parse(line).map(|message| arrived.saturating_sub(message.written_at)));
            }
        }
        Ok(delays)
    }

    /// Asks the agent to end.
    pub(crate) fn terminate(&self) -> Result<()> {
        Ok(kill_process(Pid::from_child(&self.child), Signal::TERM)?)
    }

    pub(crate) fn wait(mut self) -> Result<()> {
        self.child.wait()?;
        Ok(())
    }

    fn read(&mut self) -> Result<&[u8]> {
        if self.scratch.is_empty() {
            self.scratch = vec![0; SCRATCH_BYTES];
        }
        let count = self.stdout.read(&mut self.scratch)?;
        ensure!(count > 0, "the agent ended");
        Ok(&self.scratch[..count])
    }
}

impl Drop for PipeAgent {
    fn drop(&mut self) {
        let _gone_already = self.child.kill();
        let _reaped_already = self.child.wait();
    }
}
