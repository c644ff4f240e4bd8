//! The guardian's own side: runs in a separate process, without a runtime, and waits on its stdin.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::census::{self, Attempt, Census, CensusEntry};
use crate::environment::{DAEMON_MARKER, markers};
use crate::limits::GUARDIAN_LIMIT;

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LAST_PAUSE: Duration = Duration::from_millis(50);

/// Returns the body of the guardian process: reads on stdin what the daemon runs, and when the daemon is gone kills
/// all of it. Signals that end a daemon are ignored already when this process starts.
pub fn guardian_main() -> ExitCode {
    let mut charge = Charge::default();
    // A line that is not text cannot come from a daemon that is well: the same as its end.
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        charge.learn(&line);
    }
    let until = Instant::now() + GUARDIAN_LIMIT;
    let mut pause = FIRST_PAUSE;
    while charge.kill() {
        if Instant::now() >= until {
            return ExitCode::FAILURE;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LAST_PAUSE);
    }
    ExitCode::SUCCESS
}

/// The processes that the guardian watches.
#[derive(Default)]
struct Charge {
    daemon: Option<String>,
    groups: HashSet<i32>,
}

impl Charge {
    fn learn(&mut self, line: &str) {
        let Some((word, value)) = line.split_once(' ') else { return };
        // Group 1 would be everybody, 0 the guardian's own.
        let group = value.parse().ok().filter(|&group: &i32| group > 1);
        match (word, group) {
            ("daemon", _) if !value.is_empty() => self.daemon = Some(value.to_owned()),
            ("add", Some(group)) => {
                self.groups.insert(group);
            }
            ("del", Some(group)) => {
                self.groups.remove(&group);
            }
            _ => {}
        }
    }

    /// Kills all that is alive of the charge; whether there was something.
    fn kill(&mut self) -> bool {
        self.groups.retain(|&group| {
            Pid::from_raw(group)
                .is_some_and(|group| kill_process_group(group, Signal::KILL) != Err(Errno::SRCH))
        });
        let census = match Census::take() {
            Attempt::Taken(census) => census,
            Attempt::Impossible => return !self.groups.is_empty(),
            Attempt::Later => return true,
        };
        let marked: HashSet<i32> =
            census.entries().filter(|entry| self.is_marked(entry)).map(|entry| entry.pid).collect();
        let mut found = false;
        for entry in census.entries().filter(|entry| entry.alive) {
            if census.lineage(entry).any(|ancestor| marked.contains(&ancestor.pid)) {
                found = true;
                census::signal(entry, Signal::KILL);
            }
        }
        found
    }

    fn is_marked(&self, entry: &CensusEntry) -> bool {
        entry.alive && (self.groups.contains(&entry.group) || self.has_marker(entry.pid))
    }

    fn has_marker(&self, pid: i32) -> bool {
        let (Some(daemon), Ok(environment)) = (&self.daemon, census::environment(pid)) else { return false };
        let marker =
            census::variable(&environment, DAEMON_MARKER).and_then(|chain| std::str::from_utf8(chain).ok());
        marker.is_some_and(|chain| markers(chain).any(|marker| marker == daemon))
    }
}
