//! The stand-in agent: blocking reads and writes, no threads, faster than any server in front of it.
//!
//! - `bench/echo` answers with its own params, `bench/pid` with the process id, `bench/child` with that of
//!   a process that it starts, `bench/hang` never.
//! - `session/prompt {first, count, size, perSecond}` writes `count` numbered `session/update` notifications of
//!   `size` bytes, numbered from `first`, then answers. With `perSecond` each is stamped and written separately, in
//!   that rhythm; without it they go out in large writes.
//!
//! `sa-bench-agent idle` does the same with small buffers: for hundreds of instances that only wait.

use anyhow::Result;
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec};
use sa_bench::message::{Template, now};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::Stdio;

const BUFFER_BYTES: usize = 256 * 1024;
const IDLE_BUFFER_BYTES: usize = 4 * 1024;

fn main() -> Result<()> {
    let idle = std::env::args().nth(1).is_some_and(|mode| mode == "idle");
    let size = if idle { IDLE_BUFFER_BYTES } else { BUFFER_BYTES };
    // The standard handles have buffers of their own, which would split large writes.
    let mut input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let mut agent = Agent { output, out: Vec::with_capacity(size), size };
    let mut buffer = vec![0; size];
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        let count = input.read(&mut buffer[filled..])?;
        if count == 0 {
            return Ok(());
        }
        filled += count;
        let mut start = 0;
        while let Some(end) = memchr::memchr(b'\n', &buffer[start..filled]) {
            agent.take(&buffer[start..start + end])?;
            start += end + 1;
        }
        agent.flush()?;
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prompt {
    #[serde(default = "one")]
    first: u64,
    #[serde(default = "one")]
    count: u64,
    #[serde(default)]
    size: usize,
    per_second: Option<u64>,
}

fn one() -> u64 {
    1
}

struct Agent {
    output: File,
    /// The bytes of the next flush.
    out: Vec<u8>,
    /// Flush when this much has gathered.
    size: usize,
}

impl Agent {
    fn take(&mut self, line: &[u8]) -> Result<()> {
        let request: Request = serde_json::from_slice(line)?;
        let params = request.params.map_or("null", RawValue::get);
        match request.method {
            Some("session/prompt") => {
                self.prompt(&serde_json::from_str(params)?)?;
                self.answer(request.id, r#"{"stopReason":"end_turn"}"#);
            }
            Some("bench/child") => {
                let mut command = std::process::Command::new("sleep");
                let child = command.arg("60").stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
                self.answer(request.id, &child.id().to_string());
            }
            Some("bench/pid") => self.answer(request.id, &std::process::id().to_string()),
            Some("bench/hang") | None => {}
            Some(_) => self.answer(request.id, params),
        }
        Ok(())
    }

    fn answer(&mut self, id: Option<&RawValue>, result: &str) {
        let Some(id) = id else { return };
        self.out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        self.out.extend_from_slice(id.get().as_bytes());
        self.out.extend_from_slice(br#","result":"#);
        self.out.extend_from_slice(result.as_bytes());
        self.out.extend_from_slice(b"}\n");
    }

    fn prompt(&mut self, prompt: &Prompt) -> Result<()> {
        let mut template = Template::new(prompt.size);
        let numbers = prompt.first..prompt.first + prompt.count;
        match prompt.per_second {
            Some(rate) => self.paced(&mut template, numbers, 1_000_000_000 / rate.max(1)),
            None => self.flood(&mut template, numbers),
        }
    }

    fn flood(&mut self, template: &mut Template, numbers: std::ops::Range<u64>) -> Result<()> {
        let direct = template.line().len() >= self.size;
        for number in numbers {
            template.set(number, 0);
            if direct {
                self.flush()?;
                self.output.write_all(template.line())?;
                continue;
            }
            if self.out.len() + template.line().len() > self.size {
                self.flush()?;
            }
            self.out.extend_from_slice(template.line());
        }
        Ok(())
    }

    fn paced(&mut self, template: &mut Template, numbers: std::ops::Range<u64>, pause: u64) -> Result<()> {
        self.flush()?;
        let mut due = now();
        for number in numbers {
            due += pause;
            sleep_until(due)?;
            template.set(number, now());
            self.output.write_all(template.line())?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.output.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

fn sleep_until(due: u64) -> Result<()> {
    let time = Timespec {
        tv_sec: i64::try_from(due / 1_000_000_000)?,
        tv_nsec: i64::try_from(due % 1_000_000_000)?,
    };
    Ok(clock_nanosleep_absolute(ClockId::Monotonic, &time)?)
}
