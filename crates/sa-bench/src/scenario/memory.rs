//! Memory that comes back: resident memory some time after a load has ended, next to that of a daemon just started.

use crate::acp::{self, Reader};
use crate::figures::{Figure, Goal};
use crate::process::Server;
use crate::run::Run;
use crate::scenario::sessions;
use crate::wire::{self, Prompt};
use anyhow::Result;
use std::time::{Duration, Instant};

const SERVER: &str = "memory";
/// Time for a server to settle before its memory at rest is read.
const REST: Duration = Duration::from_millis(200);
/// Time in which memory has to come back.
const PATIENCE: Duration = Duration::from_secs(60);
/// Interval of the measurements.
const STEP: Duration = Duration::from_secs(1);
/// Resident memory after a load, in that of a daemon just started.
const GOAL: f64 = 2.0;

/// Sizes of streamed messages; each makes up a third of the stream.
const SIZES: [usize; 3] = [200, 4 << 10, 1 << 20];

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let bytes = run.pick(1 << 30, 1 << 26);
    after(run, "after 1 GiB was streamed and its server deleted", |run, daemon| stream(run, daemon, bytes))?;
    let count = run.pick(500, 25);
    after(run, &format!("after {count} sessions were created, used and deleted"), |run, daemon| {
        sessions::create_and_delete(run, daemon, count)
    })
}

/// Loads a daemon, waits until it has given its memory back or the time is over, and notes what it holds then.
fn after(run: &mut Run, name: &str, load: impl Fn(&mut Run, &Server) -> Result<()>) -> Result<()> {
    let daemon = run.daemon()?;
    std::thread::sleep(REST);
    let idle = daemon.resident()?;
    load(run, &daemon)?;
    let loaded = daemon.peak()?;
    let end = Instant::now();
    while end.elapsed() < PATIENCE && daemon.resident()? > idle * GOAL {
        std::thread::sleep(STEP);
    }
    let megabytes = |kib: f64| kib * 1024.0 / 1e6;
    let waited = end.elapsed().as_secs();
    let figure = Figure::new(format!("{name}, {waited} s later"), "MB", megabytes(daemon.resident()?));
    run.figure(figure.relative_to(megabytes(idle)).goal(Goal::RatioAtMost(GOAL)));
    run.figure(Figure::new(format!("{name}, peak"), "MB", megabytes(loaded)));
    Ok(())
}

/// Streams so many bytes to one reader and deletes the server, whose log they filled.
fn stream(run: &mut Run, daemon: &Server, bytes: usize) -> Result<()> {
    acp::create(daemon, SERVER, &mut run.scratch)?;
    let path = wire::server_path(SERVER);
    for size in SIZES {
        let prompt = Prompt::flood((bytes / SIZES.len() / size) as u64, size);
        let mut reader = Reader::open(daemon, &path, None, 1, &mut run.scratch)?;
        let answer = acp::start_prompt(daemon, SERVER, prompt)?;
        reader.read_until(prompt.count, &mut run.scratch)?;
        acp::finish_prompt(answer, &mut run.scratch)?;
        run.check("a stream", &reader.tally);
    }
    let mut connection = daemon.connect()?;
    connection.send(&wire::delete(&path))?;
    acp::expect(&connection.finish(&mut run.scratch)?, 204, "DELETE of the server")
}
