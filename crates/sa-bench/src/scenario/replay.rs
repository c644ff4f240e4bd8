//! Catching up by `Last-Event-ID`: after missing many messages at once, and while reconnecting all the time.

use crate::acp::{self, Reader};
use crate::figures::{Figure, Goal, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::{Context, Result, ensure};
use std::time::{Duration, Instant};

const SERVER: &str = "replay";
const SIZE: usize = 200;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    for count in [900, 1_500, 10_000] {
        live(run, &daemon, count)?;
        let (mut caught_up, mut read_live) = (Vec::new(), Vec::new());
        for _ in 0..run.pick(15, 5) {
            read_live.push(live(run, &daemon, count)?);
            caught_up.push(missed(run, &daemon, count)?);
        }
        let read_live = median(&read_live);
        run.figure(Figure::new(format!("{count} read live"), "ms", read_live));
        let figure = Figure::new(format!("{count} missed, then replayed"), "ms", median(&caught_up));
        let figure = figure.relative_to(read_live);
        run.figure(figure.maybe_goal((count == 10_000).then_some(Goal::RatioAtMost(3.0))));
    }
    Ok(())
}

/// Milliseconds to read a prompt's messages as they are written.
fn live(run: &mut Run, daemon: &Server, count: u64) -> Result<f64> {
    let mut reader = Reader::open(daemon, &wire::server_path(SERVER), None, 1, &mut run.scratch)?;
    let start = Instant::now();
    let answer = acp::start_prompt(daemon, SERVER, Prompt::flood(count, SIZE))?;
    reader.read_until(count, &mut run.scratch)?;
    let taken = start.elapsed().as_secs_f64() * 1e3;
    acp::finish_prompt(answer, &mut run.scratch)?;
    run.check("read live", &reader.tally);
    Ok(taken)
}

/// Milliseconds to connect and read a prompt's messages after they were all written.
fn missed(run: &mut Run, daemon: &Server, count: u64) -> Result<f64> {
    let path = wire::server_path(SERVER);
    let mut reader = Reader::open(daemon, &path, None, 1, &mut run.scratch)?;
    acp::finish_prompt(acp::start_prompt(daemon, SERVER, Prompt::flood(1, SIZE))?, &mut run.scratch)?;
    reader.read_until(1, &mut run.scratch)?;
    let cursor = reader.tally.last_id().context("a message without an id")?;
    drop(reader);

    let prompt = Prompt { first: 2, ..Prompt::flood(count, SIZE) };
    acp::finish_prompt(acp::start_prompt(daemon, SERVER, prompt)?, &mut run.scratch)?;
    let start = Instant::now();
    let mut reader = Reader::open(daemon, &path, Some(cursor), 2, &mut run.scratch)?;
    reader.read_until(count, &mut run.scratch)?;
    let taken = start.elapsed().as_secs_f64() * 1e3;
    run.check(&format!("replay of {count}"), &reader.tally);
    Ok(taken)
}

/// Leaves and comes back every few milliseconds while the agent writes 4,000 messages a second.
pub(crate) fn reconnect(run: &mut Run) -> Result<()> {
    const STAY: Duration = Duration::from_millis(20);
    let daemon = run.daemon()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    let path = wire::server_path(SERVER);
    let prompt = Prompt { first: 1, count: run.pick(12_000, 4_000), size: SIZE, per_second: 4_000 };
    let mut reader = Reader::open(&daemon, &path, None, 1, &mut run.scratch)?;
    let answer = acp::start_prompt(&daemon, SERVER, prompt)?;
    let (mut seen, mut connections) = (0, 1);
    loop {
        let leave = Instant::now() + STAY;
        while seen + reader.tally.accounted() < prompt.count && Instant::now() < leave {
            reader.read(&mut run.scratch, |_| {})?;
        }
        ensure!(reader.tally.gaps() == 0, "a gap although the log holds everything");
        run.check("reconnecting", &reader.tally);
        seen += reader.tally.accounted();
        if seen >= prompt.count {
            break;
        }
        let cursor = reader.tally.last_id().context("a message without an id")?;
        drop(reader);
        reader = Reader::open(&daemon, &path, Some(cursor), seen + 1, &mut run.scratch)?;
        connections += 1;
    }
    acp::finish_prompt(answer, &mut run.scratch)?;
    run.figure(Figure::new(
        format!("{} messages at 4000/s, connections used", prompt.count),
        "",
        f64::from(connections),
    ));
    Ok(())
}
