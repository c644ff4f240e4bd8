//! From exec to the first healthy answer, memory at rest, size of the program.

use crate::acp::expect;
use crate::figures::{Against, Figure, Goal, median};
use crate::peer;
use crate::process::Server;
use crate::run::Run;
use crate::wire;
use anyhow::{Context, Result};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time for a server to settle before its memory at rest is read. The daemon returns what its start needed after half a second.
const REST: Duration = Duration::from_millis(1500);

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let (mut daemon, mut floor, mut peer) = (Vec::new(), Vec::new(), Vec::new());
    // The first start reads the program from disk.
    for round in 0..=run.pick(10, 3) {
        let daemon_ms = timed(run, Run::daemon)?.0;
        let floor_ms = timed(run, Run::floor)?.0;
        let other = peer::sandbox_agent(&run.programs);
        let peer_ms = other.map(|other| timed(run, |run| other.start(&run.programs))).transpose()?;
        if round > 0 {
            daemon.push(daemon_ms);
            floor.push(floor_ms);
            peer.extend(peer_ms.map(|(milliseconds, _)| milliseconds));
        }
    }
    run.figure(
        Figure::new("exec to first 200", "ms", median(&daemon))
            .floors(None, Some(median(&floor)), Against::Only)
            .goal(Goal::AtMost(15.0)),
    );
    if !peer.is_empty() {
        let figure = Figure::new("exec to first 200, in that of the peer", "ms", median(&daemon));
        run.figure(figure.relative_to(median(&peer)).goal(Goal::RatioAtMost(0.5)));
    }
    let (daemon, floor) = (timed(run, Run::daemon)?.1, timed(run, Run::floor)?.1);
    std::thread::sleep(REST);
    run.figure(
        Figure::new("resident at rest", "MB", megabytes(daemon.resident()?))
            .floors(None, Some(megabytes(floor.resident()?)), Against::Only)
            .goal(Goal::AtMost(12.0)),
    );
    run.figure(
        Figure::new("heap at rest", "MB", megabytes(daemon.heap()?))
            .floors(None, Some(megabytes(floor.heap()?)), Against::Only)
            .goal(Goal::AtMost(3.0)),
    );
    let size = |path: &Path| loaded_bytes(path).map(|bytes| bytes as f64 / 1e6);
    run.figure(
        Figure::new("program without debug information", "MB", size(&run.programs.daemon)?)
            .floors(None, Some(size(&run.programs.bench)?), Against::Only)
            .goal(Goal::AtMost(20.0)),
    );
    Ok(())
}

fn megabytes(kib: f64) -> f64 {
    kib * 1024.0 / 1e6
}

/// Starts a server and asks for its health; returns the milliseconds.
fn timed(run: &mut Run, start: impl FnOnce(&Run) -> Result<Server>) -> Result<(f64, Server)> {
    let begin = Instant::now();
    let server = start(run)?;
    let answer = server.connect()?.exchange(&wire::get("/v1/health"), &mut run.scratch)?;
    let taken = begin.elapsed().as_secs_f64() * 1e3;
    expect(&answer, 200, "health")?;
    Ok((taken, server))
}

/// Returns the bytes of a program that are ever loaded: release builds keep line tables, which do not ship.
pub(crate) fn loaded_bytes(path: &Path) -> Result<u64> {
    let file = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(loaded_segments(&file).unwrap_or(file.len() as u64))
}

/// Adds up the file sizes of an ELF64 program's loadable segments; `None` for any other file.
fn loaded_segments(file: &[u8]) -> Option<u64> {
    const LOAD: u64 = 1;
    let number = |at: usize, bytes: usize| {
        let field = file.get(at..at.checked_add(bytes)?)?;
        Some(field.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = usize::try_from(number(32, 8)?).ok()?;
    let (entry, count) = (number(54, 2)? as usize, number(56, 2)? as usize);
    let segments = (0..count).map(|index| table.checked_add(index * entry));
    segments.map(|at| Some(if number(at?, 4)? == LOAD { number(at? + 32, 8)? } else { 0 })).sum()
}
