//! A prompt's messages to one reader, as fast as they go.

use crate::acp::{self, Reader};
use crate::figures::{Against, Figure, Goal, median};
use crate::pipe::PipeAgent;
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::Result;
use std::time::{Duration, Instant};

const SERVER: &str = "stream";

/// The goal of one size.
struct Size {
    name: &'static str,
    bytes: usize,
    /// Messages in a round of a full run.
    count: u64,
    burst: u64,
}

/// The share of the lower floor that every size is expected to reach.
const SHARE_OF_FLOOR: Goal = Goal::RatioAtLeast(0.7);

const SIZES: &[Size] = &[
    Size { name: "200 B", bytes: 200, count: 600_000, burst: 100_000 },
    Size { name: "4 KiB", bytes: 4 << 10, count: 80_000, burst: 5_000 },
    Size { name: "1 MiB", bytes: 1 << 20, count: 400, burst: 20 },
];

impl Size {
    /// Small messages are counted, large ones weighed.
    fn unit(&self) -> &'static str {
        if self.bytes < 1024 { "msg/s" } else { "MB/s" }
    }

    fn rate(&self, count: u64, seconds: f64) -> f64 {
        let each = if self.bytes < 1024 { 1.0 } else { self.bytes as f64 / 1e6 };
        count as f64 * each / seconds
    }
}

/// Measures the limits of the floors: the load generator's reading speed when the server hardly does anything, and
/// the speed of the agent's pipe when it is as wide as an unprivileged process may make it. Floors are taken with a
/// message in each chunk and with the pipes that programs get by default.
pub(crate) fn ceiling(run: &mut Run) -> Result<()> {
    const BATCH: u64 = 256;
    const WIDE: usize = 1 << 20;
    let floor = run.floor()?;
    let mut agent = PipeAgent::start(&run.programs, None)?;
    agent.widen(WIDE)?;
    for size in SIZES {
        let count = run.pick(size.count, size.count / 10);
        let mut wide = Vec::new();
        for _ in 0..run.rounds() {
            wide.push(size.rate(count, agent.stream(Prompt::flood(count, size.bytes))?));
        }
        run.figure(Figure::new(format!("{} through a pipe of 1 MiB", size.name), size.unit(), median(&wide)));
    }
    for size in &SIZES[..2] {
        let count = run.pick(size.count, size.count / 10) / BATCH * BATCH;
        let mut bulk = Vec::new();
        for _ in 0..run.rounds() {
            bulk.push(size.rate(count, floor_round(run, &floor, count, size.bytes, BATCH)?));
        }
        run.figure(Figure::new(
            format!("{} over HTTP, many in a chunk", size.name),
            size.unit(),
            median(&bulk),
        ));
    }
    Ok(())
}

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let floor = run.floor()?;
    for size in SIZES {
        // Each size has a separate daemon, so that the peak is this size's.
        let daemon = run.daemon()?;
        acp::create(&daemon, SERVER, &mut run.scratch)?;
        one_size(run, &daemon, &floor, size)?;
    }
    Ok(())
}

fn one_size(run: &mut Run, daemon: &Server, floor: &Server, size: &Size) -> Result<()> {
    let mut agent = PipeAgent::start(&run.programs, None)?;
    let count = run.pick(size.count, size.count / 10);
    let prompt = Prompt::flood(count, size.bytes);
    round(run, daemon, prompt, size.name)?;
    daemon.reset_peak();
    let (mut ours, mut http, mut pipe) = (Vec::new(), Vec::new(), Vec::new());
    let mut cpu = Duration::ZERO;
    for _ in 0..run.rounds() {
        let before = daemon.cpu()?;
        ours.push(size.rate(count, round(run, daemon, prompt, size.name)?));
        cpu += daemon.cpu()? - before;
        http.push(size.rate(count, floor_round(run, floor, count, size.bytes, 1)?));
        pipe.push(size.rate(count, agent.stream(prompt)?));
    }
    let cpu = cpu.as_secs_f64() * 1e6 / (count * ours.len() as u64) as f64;
    let peak = daemon.peak()? * 1024.0 / 1e6;

    run.figure(
        Figure::new(size.name, size.unit(), median(&ours))
            .floors(Some(median(&pipe)), Some(median(&http)), Against::Lower)
            .goal(SHARE_OF_FLOOR),
    );
    run.figure(Figure::new(format!("{}, daemon CPU", size.name), "µs/msg", cpu));
    let peak = Figure::new(format!("{}, peak memory", size.name), "MB", peak);
    run.figure(peak.maybe_goal((size.bytes >= 1 << 20).then_some(Goal::AtMost(100.0))));
    Ok(())
}

/// One prompt of a server that has said nothing before, in a daemon that was just started; so are the floors.
pub(crate) fn burst(run: &mut Run) -> Result<()> {
    for size in SIZES {
        let prompt = Prompt::flood(size.burst, size.bytes);
        let (mut ours, mut http, mut pipe) = (Vec::new(), Vec::new(), Vec::new());
        // A burst is over in some 30 ms: anything else that the machine does makes one of a few slow.
        for _ in 0..3 * run.rounds() {
            let daemon = run.daemon()?;
            acp::create(&daemon, SERVER, &mut run.scratch)?;
            ours.push(size.rate(size.burst, round(run, &daemon, prompt, size.name)?));
            drop(daemon);
            let floor = run.floor()?;
            http.push(size.rate(size.burst, floor_round(run, &floor, size.burst, size.bytes, 1)?));
            drop(floor);
            pipe.push(size.rate(size.burst, PipeAgent::start(&run.programs, None)?.stream(prompt)?));
        }
        run.figure(
            Figure::new(format!("{} × {}", size.burst, size.name), size.unit(), median(&ours))
                .floors(Some(median(&pipe)), Some(median(&http)), Against::Lower)
                .goal(SHARE_OF_FLOOR),
        );
    }
    Ok(())
}

/// Seconds from sending the prompt until its last message is read.
fn round(run: &mut Run, daemon: &Server, prompt: Prompt, name: &str) -> Result<f64> {
    let mut reader = Reader::open(daemon, &wire::server_path(SERVER), None, 1, &mut run.scratch)?;
    let start = Instant::now();
    let answer = acp::start_prompt(daemon, SERVER, prompt)?;
    reader.read_until(prompt.count, &mut run.scratch)?;
    let seconds = start.elapsed().as_secs_f64();
    acp::finish_prompt(answer, &mut run.scratch)?;
    run.check(&format!("stream of {name}"), &reader.tally);
    Ok(seconds)
}

/// Seconds in which the floor gives the same messages, `batch` in each chunk of the body.
fn floor_round(run: &mut Run, floor: &Server, count: u64, size: usize, batch: u64) -> Result<f64> {
    let start = Instant::now();
    let path = format!("/stream?count={count}&size={size}&batch={batch}");
    let mut reader = Reader::open(floor, &path, None, 1, &mut run.scratch)?;
    reader.read_until(count, &mut run.scratch)?;
    Ok(start.elapsed().as_secs_f64())
}
