//! `sandbox-agent daemon stop`.

use super::{POLL, Settled, place, settled};
use crate::args::StopArgs;
use crate::commands::render::print_text;
use crate::failure::Failure;
use crate::local_daemon::Record;
use anyhow::anyhow;
use rustix::process::Signal;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time for the system to end a process that was killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// The end of a daemon.
pub(super) enum Ended {
    ByItself,
    Killed,
}

pub(super) fn run(args: StopArgs) -> Result<ExitCode, Failure> {
    let place = place(args.place)?;
    if !place.folder().exists() {
        return nobody();
    }
    let turn = place.operate()?;
    let record = match settled(&place, &turn)? {
        Settled::Running(record) => record,
        Settled::Nobody => return nobody(),
    };
    let pid = record.pid;
    print_text(&match stop(&record, Duration::from_secs(args.timeout))? {
        Ended::ByItself => format!("the daemon has stopped (pid {pid})"),
        Ended::Killed => {
            format!("the daemon did not stop within {} s and was killed (pid {pid})", args.timeout)
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn nobody() -> Result<ExitCode, Failure> {
    print_text("no daemon is running")?;
    Ok(ExitCode::SUCCESS)
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
