//! One stream to many readers.

use crate::acp::{self, Reader};
use crate::figures::{Against, Figure, Goal, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::Result;
use std::time::{Duration, Instant};

const SERVER: &str = "fan-out";
const SIZE: usize = 200;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    let floor = run.floor()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    for (readers, count) in [(10, run.pick(200_000, 20_000)), (100, run.pick(30_000, 3_000))] {
        many(run, &daemon, &floor, readers, count)?;
    }
    Ok(())
}

fn many(run: &mut Run, daemon: &Server, floor: &Server, readers: u64, count: u64) -> Result<()> {
    from_daemon(run, daemon, readers, count / 4)?;
    daemon.reset_peak();
    let (mut ours, mut http) = (Vec::new(), Vec::new());
    let mut cpu = Duration::ZERO;
    let deliveries = (readers * count) as f64;
    for _ in 0..run.rounds() {
        let before = daemon.cpu()?;
        ours.push(deliveries / from_daemon(run, daemon, readers, count)?);
        cpu += daemon.cpu()? - before;
        http.push(deliveries / from_floor(run, floor, readers, count)?);
    }
    let figure = Figure::new(format!("{readers} readers of 200 B"), "msg/s", median(&ours)).floors(
        None,
        Some(median(&http)),
        Against::Only,
    );
    run.figure(figure.maybe_goal((readers == 100).then_some(Goal::RatioAtLeast(0.8))));
    let cpu = cpu.as_secs_f64() * 1e6 / (deliveries * ours.len() as f64);
    run.figure(Figure::new(format!("{readers} readers, daemon CPU"), "µs/msg", cpu));
    run.figure(Figure::new(format!("{readers} readers, peak memory"), "MB", daemon.peak()? * 1024.0 / 1e6));
    Ok(())
}

fn from_daemon(run: &mut Run, daemon: &Server, readers: u64, count: u64) -> Result<f64> {
    let path = wire::server_path(SERVER);
    let open = |_| Reader::open(daemon, &path, None, 1, &mut run.scratch);
    let mut readers = (0..readers).map(open).collect::<Result<Vec<_>>>()?;
    let start = Instant::now();
    let answer = acp::start_prompt(daemon, SERVER, Prompt::flood(count, SIZE))?;
    acp::drain(&mut readers, count, &mut run.scratch)?;
    let seconds = start.elapsed().as_secs_f64();
    acp::finish_prompt(answer, &mut run.scratch)?;
    for reader in &readers {
        run.check("fan-out", &reader.tally);
    }
    Ok(seconds)
}

fn from_floor(run: &mut Run, floor: &Server, readers: u64, count: u64) -> Result<f64> {
    let path = format!("/stream?count={count}&size={SIZE}&batch=1");
    let start = Instant::now();
    let open = |_| Reader::open(floor, &path, None, 1, &mut run.scratch);
    let mut readers = (0..readers).map(open).collect::<Result<Vec<_>>>()?;
    acp::drain(&mut readers, count, &mut run.scratch)?;
    Ok(start.elapsed().as_secs_f64())
}
