//! `sandbox-agent daemon stop`.

use super::{POLL, settled};
use crate::commands::render::print_text;
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Record};
use anyhow::anyhow;
use rustix::process::Signal;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time for the system to end a process that was killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// The end of a daemon.
pub(super) enum Ended {
    ByItself,
    Killed,
}

pub(super) fn run(place: &DaemonFolder, patience: Duration) -> Result<(), Failure> {
    if !place.folder().exists() {
        return nobody();
    }
    let turn = place.operate()?;
    let Some(record) = settled(place, &turn)? else { return nobody() };
    let pid = record.pid;
    let said = match stop(&record, patience)? {
        Ended::ByItself => format!("the daemon has stopped (pid {pid})"),
        Ended::Killed => {
            format!("the daemon did not stop within {} s and was killed (pid {pid})", patience.as_secs())
        }
    };
    Ok(print_text(&said)?)
}

fn nobody() -> Result<(), Failure> {
    Ok(print_text("no daemon is running")?)
}

/// Ends a daemon and with it all agents: asks first, then kills it, upon which its guardian ends the agents.
pub(super) fn stop(record: &Record, patience: Duration) -> Result<Ended, Failure> {
    let process = record.identity();
    for (signal, patience, ended) in
        [(Signal::TERM, patience, Ended::ByItself), (Signal::KILL, KILL_TIMEOUT, Ended::Killed)]
    {
        if !process.signal(signal) && process.is_running() {
            return Err(Failure::Failed(anyhow!("cannot signal the daemon (pid {})", record.pid)));
        }
        let began = Instant::now();
        while began.elapsed() < patience {
            if !process.is_running() {
                return Ok(ended);
            }
            sleep(POLL);
        }
    }
    Err(Failure::Failed(anyhow!("the daemon was killed and still runs (pid {})", record.pid)))
}
