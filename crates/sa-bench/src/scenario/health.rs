//! Delay of `GET /v1/health` while the daemon is busy: an agent that floods with readers attached, and large uploads.

use crate::acp::{self, Reader, expect};
use crate::figures::{Figure, Goal, percentile_us};
use crate::process::{SCRATCH_BYTES, Server};
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::{Result, anyhow};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SERVER: &str = "health";
const SIZE: usize = 200;
const READERS: usize = 10;
/// Clients that upload at the same time, and the bytes of one write of each.
const UPLOADS: usize = 4;
const PIECE: usize = 1 << 20;
/// Pause between two requests. A probe must not be the load.
const PAUSE: Duration = Duration::from_millis(2);
/// Milliseconds that 99 of 100 answers may take.
const GOAL_MS: f64 = 150.0;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    let count = run.pick(1_000_000, 50_000);
    let flood = |run: &mut Run| flood(run, &daemon, count);
    measure_while(run, &daemon, &format!("{READERS} readers of a flood"), flood)?;
    let size = run.pick(2 << 30, 64 << 20);
    let uploads = |_: &mut Run| upload_many(&daemon, size);
    measure_while(run, &daemon, &format!("{UPLOADS} uploads of {} MiB", size >> 20), uploads)
}

fn measure_while(
    run: &mut Run,
    daemon: &Server,
    what: &str,
    load: impl FnOnce(&mut Run) -> Result<()>,
) -> Result<()> {
    let is_over = AtomicBool::new(false);
    let mut delays = std::thread::scope(|scope| {
        let probing = scope.spawn(|| probe(daemon, &is_over));
        let loaded = load(run);
        is_over.store(true, Ordering::Release);
        let delays = probing.join().map_err(|_| anyhow!("the probe panicked"))?;
        loaded.and(delays)
    })?;
    run.figure(Figure::new(format!("{what}: answers"), "", delays.len() as f64));
    for (name, share) in [("p50", 0.50), ("p99", 0.99), ("longest", 1.0)] {
        let figure = Figure::new(format!("{what}: {name}"), "ms", percentile_us(&mut delays, share) / 1e3);
        run.figure(figure.maybe_goal((name == "p99").then_some(Goal::AtMost(GOAL_MS))));
    }
    Ok(())
}

/// Asks again and again; returns the delays in nanoseconds.
fn probe(daemon: &Server, is_over: &AtomicBool) -> Result<Vec<u64>> {
    let mut scratch = vec![0; SCRATCH_BYTES];
    let mut connection = daemon.connect()?;
    let mut delays = Vec::new();
    while !is_over.load(Ordering::Acquire) {
        let start = Instant::now();
        expect(&connection.exchange(&wire::get("/v1/health"), &mut scratch)?, 200, "health")?;
        delays.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        std::thread::sleep(PAUSE);
    }
    Ok(delays)
}

fn flood(run: &mut Run, daemon: &Server, count: u64) -> Result<()> {
    let path = wire::server_path(SERVER);
    let open = |_| Reader::open(daemon, &path, None, 1, &mut run.scratch);
    let mut readers = (0..READERS).map(open).collect::<Result<Vec<_>>>()?;
    let answer = acp::start_prompt(daemon, SERVER, Prompt::flood(count, SIZE))?;
    acp::drain(&mut readers, count, &mut run.scratch)?;
    acp::finish_prompt(answer, &mut run.scratch)?;
    for reader in &readers {
        run.check("health", &reader.tally);
    }
    Ok(())
}

fn upload_many(daemon: &Server, size: u64) -> Result<()> {
    std::thread::scope(|scope| {
        let uploads: Vec<_> =
            (0..UPLOADS).map(|number| scope.spawn(move || upload(daemon, number, size))).collect();
        let ended =
            uploads.into_iter().map(|upload| upload.join().map_err(|_| anyhow!("an upload panicked"))?);
        ended.collect::<Result<Vec<()>>>().map(drop)
    })
}

fn upload(daemon: &Server, number: usize, size: u64) -> Result<()> {
    let file = daemon.home().join(format!("upload-{number}"));
    let mut connection = daemon.connect()?;
    connection.send(&wire::put_head(&format!("/v1/fs/file?path={}", file.display()), size))?;
    let piece = vec![7; PIECE];
    for _ in 0..size / PIECE as u64 {
        connection.send_more(&piece)?;
    }
    expect(&connection.finish(&mut vec![0; SCRATCH_BYTES])?, 201, "upload")?;
    Ok(std::fs::remove_file(file)?)
}
