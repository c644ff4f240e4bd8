//! The end of an agent: how long a DELETE takes, and how soon a waiting request learns that the agent died.

use crate::acp;
use crate::figures::{Figure, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire;
use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::time::Instant;

const SERVER: &str = "stop";

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    let (mut deleted, mut failed) = (Vec::new(), Vec::new());
    for _ in 0..run.pick(30, 5) {
        deleted.push(delete(run, &daemon)?);
        failed.push(crash(run, &daemon)?);
    }
    let worst = deleted.iter().copied().fold(0.0, f64::max);
    run.figure(Figure::new("DELETE of a live agent", "ms", median(&deleted)));
    run.figure(Figure::new("DELETE of a live agent, slowest", "ms", worst));
    run.figure(Figure::new("agent killed: waiting POST failed after", "ms", median(&failed)));
    Ok(())
}

fn started(run: &mut Run, daemon: &Server) -> Result<Pid> {
    acp::create(daemon, SERVER, &mut run.scratch)?;
    let pid = acp::agent_pid(daemon, SERVER, &mut run.scratch)?;
    Pid::from_raw(pid).context("the agent's process id")
}

fn delete(run: &mut Run, daemon: &Server) -> Result<f64> {
    let pid = started(run, daemon)?;
    let mut connection = daemon.connect()?;
    let request = wire::delete(&wire::server_path(SERVER));
    let start = Instant::now();
    let answer = connection.exchange(&request, &mut run.scratch)?;
    let taken = start.elapsed().as_secs_f64() * 1e3;
    acp::expect(&answer, 204, "DELETE")?;
    ensure!(test_kill_process(pid).is_err(), "the agent outlives its DELETE");
    Ok(taken)
}

fn crash(run: &mut Run, daemon: &Server) -> Result<f64> {
    let pid = started(run, daemon)?;
    let path = wire::server_path(SERVER);
    let mut waiting = daemon.connect()?;
    waiting.send(&wire::post(&path, &wire::call("bench/hang")))?;
    // Once this is answered the agent has most likely read the other one as well.
    let echo = daemon.connect()?.exchange(&wire::post(&path, &wire::call("bench/echo")), &mut run.scratch)?;
    acp::expect(&echo, 200, "POST")?;
    let start = Instant::now();
    kill_process(pid, Signal::KILL)?;
    let answer = waiting.finish(&mut run.scratch)?;
    let taken = start.elapsed().as_secs_f64() * 1e3;
    acp::expect(&answer, 502, "POST to an agent that was killed")?;
    let deleted = waiting.exchange(&wire::delete(&path), &mut run.scratch)?;
    acp::expect(&deleted, 204, "DELETE")?;
    Ok(taken)
}
