//! A reader that stopped reading next to one that reads: the losses of the healthy one, and the gap that the stalled
//! one gets.

use crate::acp::{self, Reader};
use crate::figures::{Figure, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::Result;
use std::time::{Duration, Instant};

const SERVER: &str = "stall";
const SIZE: usize = 200;

/// The healthy reader and what has been asked of the agent so far.
struct Passes<'a> {
    daemon: &'a Server,
    healthy: Reader,
    sent: u64,
    count: u64,
}

impl Passes<'_> {
    /// One prompt; returns messages a second and the longest silence.
    fn next(&mut self, run: &mut Run) -> Result<(f64, Duration)> {
        let prompt = Prompt { first: self.sent + 1, count: self.count, size: SIZE, per_second: 0 };
        let start = Instant::now();
        let answer = acp::start_prompt(self.daemon, SERVER, prompt)?;
        let readers = std::slice::from_mut(&mut self.healthy);
        let longest = acp::drain(readers, prompt.end() - 1, &mut run.scratch)?;
        let rate = self.count as f64 / start.elapsed().as_secs_f64();
        acp::finish_prompt(answer, &mut run.scratch)?;
        self.sent += self.count;
        Ok((rate, longest))
    }
}

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    let path = wire::server_path(SERVER);
    let healthy = Reader::open(&daemon, &path, None, 1, &mut run.scratch)?;
    let mut passes = Passes { daemon: &daemon, healthy, sent: 0, count: run.pick(400_000, 120_000) };
    passes.next(run)?;
    let mut alone = Vec::new();
    for _ in 0..run.rounds() {
        alone.push(passes.next(run)?.0);
    }

    let before = passes.sent;
    let mut stalled = Reader::open(&daemon, &path, None, before + 1, &mut run.scratch)?;
    // In the first pass the daemon finds out that the reader has stopped.
    let (_, longest) = passes.next(run)?;
    let mut beside = Vec::new();
    for _ in 0..run.rounds() {
        beside.push(passes.next(run)?.0);
    }
    run.check("the reader beside a stalled one", &passes.healthy.tally);
    let alone = median(&alone);
    run.figure(Figure::new("alone", "msg/s", alone));
    run.figure(Figure::new("next to a stalled reader", "msg/s", median(&beside)).relative_to(alone));
    run.figure(Figure::new("longest silence until the stall is noticed", "ms", longest.as_secs_f64() * 1e3));

    let missed = passes.sent - before;
    resume(run, &mut stalled, missed)?;
    run.check("the stalled reader, once it reads on", &stalled.tally);
    run.figure(Figure::new("stalled reader: missed and reported", "msg", stalled.tally.told() as f64));
    run.figure(Figure::new("stalled reader: missed in silence", "msg", stalled.tally.lost() as f64));
    Ok(())
}

/// Reads the rest of the stalled stream. Being cut off by the server counts as a report of the gap, too.
fn resume(run: &mut Run, stalled: &mut Reader, count: u64) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(20);
    while stalled.tally.accounted() < count && !stalled.is_closed() && Instant::now() < deadline {
        if stalled.read(&mut run.scratch, |_| {}).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
