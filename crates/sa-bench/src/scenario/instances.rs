//! Hundreds of ACP servers at once: how fast they come and go, what each costs while it waits.

use crate::acp::{self, Reader};
use crate::figures::{Against, Figure, Goal};
use crate::pipe::PipeAgent;
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Echo};
use anyhow::{Result, ensure};
use sa_bench::Connection;
use std::time::Instant;

/// Requests under way at once.
const WINDOW: usize = 16;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    for count in run.pick(&[100, 500][..], &[50]) {
        many(run, *count)?;
    }
    Ok(())
}

fn many(run: &mut Run, count: usize) -> Result<()> {
    let daemon = run.daemon()?;
    let mut connections = (0..WINDOW).map(|_| daemon.connect()).collect::<Result<Vec<_>>>()?;
    // The first servers also pay for what the daemon keeps once.
    let warm: Vec<String> = (0..WINDOW).map(|index| format!("warm-{index}")).collect();
    create(run, &mut connections, &warm)?;
    delete(run, &mut connections, &warm)?;
    let ids: Vec<String> = (0..count).map(|index| format!("server-{index}")).collect();
    let floor = from_pipes(run, count)?;

    let before = daemon.resident()?;
    let per_second = create(run, &mut connections, &ids)?;
    let created = daemon.resident()?;
    let streams = open_streams(run, &daemon, &ids)?;
    let opened = daemon.resident()?;
    drop(streams);
    let deleted_ms = delete(run, &mut connections, &ids)?;

    run.figure(Figure::new(format!("{count} servers: created"), "/s", per_second).floors(
        Some(floor.0),
        None,
        Against::Only,
    ));
    let each = |kib: f64| (kib / count as f64).max(0.0);
    run.figure(
        Figure::new(format!("{count} servers: memory of one at rest"), "KiB", each(created - before))
            .goal(Goal::AtMost(32.0)),
    );
    run.figure(
        Figure::new(format!("{count} servers: memory of one event stream"), "KiB", each(opened - created))
            .goal(Goal::AtMost(32.0)),
    );
    let deleted = Figure::new(format!("{count} servers: all deleted"), "ms", deleted_ms).floors(
        Some(floor.1),
        None,
        Against::Only,
    );
    run.figure(deleted.maybe_goal((count >= 500).then_some(Goal::AtMost(1_000.0))));
    Ok(())
}

/// Sends a request for each id, a window at a time, and expects `status`; returns the seconds.
fn all(
    run: &mut Run,
    connections: &mut [Connection],
    ids: &[String],
    status: u16,
    request: impl Fn(&str) -> Vec<u8>,
) -> Result<f64> {
    let start = Instant::now();
    for batch in ids.chunks(connections.len()) {
        for (connection, id) in connections.iter_mut().zip(batch) {
            connection.send(&request(id))?;
        }
        for (connection, id) in connections.iter_mut().zip(batch) {
            acp::expect(&connection.finish(&mut run.scratch)?, status, id)?;
        }
    }
    Ok(start.elapsed().as_secs_f64())
}

fn create(run: &mut Run, connections: &mut [Connection], ids: &[String]) -> Result<f64> {
    let seconds = all(run, connections, ids, 200, |id| acp::bootstrap(id, "idle"))?;
    Ok(ids.len() as f64 / seconds)
}

fn delete(run: &mut Run, connections: &mut [Connection], ids: &[String]) -> Result<f64> {
    Ok(all(run, connections, ids, 204, |id| wire::delete(&wire::server_path(id)))? * 1e3)
}

fn open_streams(run: &mut Run, daemon: &Server, ids: &[String]) -> Result<Vec<Reader>> {
    ids.iter().map(|id| Reader::open(daemon, &wire::server_path(id), None, 1, &mut run.scratch)).collect()
}

/// Runs the same agents without a daemon: created a second, and milliseconds to end them all.
fn from_pipes(run: &mut Run, count: usize) -> Result<(f64, f64)> {
    let mut agents = Vec::with_capacity(count);
    let mut echo = Echo::line();
    let start = Instant::now();
    while agents.len() < count {
        let batch = WINDOW.min(count - agents.len());
        let mut started =
            (0..batch).map(|_| PipeAgent::start(&run.programs, Some("idle"))).collect::<Result<Vec<_>>>()?;
        for agent in &mut started {
            agent.send(echo.next(0))?;
        }
        for agent in &mut started {
            agent.read_lines(1)?;
        }
        agents.append(&mut started);
    }
    let per_second = count as f64 / start.elapsed().as_secs_f64();
    ensure!(agents.len() == count, "not all agents started");
    let start = Instant::now();
    agents.iter().try_for_each(PipeAgent::terminate)?;
    agents.into_iter().try_for_each(PipeAgent::wait)?;
    Ok((per_second, start.elapsed().as_secs_f64() * 1e3))
}
