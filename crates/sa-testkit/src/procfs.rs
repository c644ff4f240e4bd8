//! Processes as `/proc` shows them.

use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// The name of its program, cut by the kernel to 15 bytes.
    pub name: String,
    /// `R`, `S`, `D`, `T`, or `Z` for one that nobody has waited for.
    pub state: char,
    pub parent: u32,
    pub group: u32,
    pub session: u32,
    /// Processor time it has used, in user and kernel mode together.
    pub cpu: Duration,
}

impl Process {
    /// Returns whether it has ended and only waits to be reaped.
    pub fn is_zombie(&self) -> bool {
        self.state == 'Z'
    }
}

/// Returns the process of that id, if there is one.
pub fn process(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold anything, spaces and parentheses included; the last one closes it.
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let mut fields = tail.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let [parent, group, session] = [fields.next()?, fields.next()?, fields.next()?];
    // After the session: tty, tpgid, flags and four counts of faults; then user and kernel ticks.
    let ticks: u64 = fields.skip(7).take(2).map_while(|field| field.parse::<u64>().ok()).sum();
    let second = rustix::param::clock_ticks_per_second().max(1);
    Some(Process {
        pid,
        name,
        state,
        parent: parent.parse().ok()?,
        group: group.parse().ok()?,
        session: session.parse().ok()?,
        cpu: Duration::from_millis(ticks * 1000 / second),
    })
}

/// Returns whether that process runs; one that has ended and was not reaped does not.
pub fn is_alive(pid: u32) -> bool {
    process(pid).is_some_and(|process| !process.is_zombie())
}

/// Returns all processes below this one, zombies included, in the order of their ids.
pub fn descendants(root: u32) -> Vec<Process> {
    let mut below = BTreeSet::from([root]);
    let all = all();
    // Ids wrap around, so a child may have a smaller one than its parent: repeat until nothing is added.
    loop {
        let known = below.len();
        below.extend(
            all.iter().filter(|process| below.contains(&process.parent)).map(|p| p.pid).collect::<Vec<_>>(),
        );
        if below.len() == known {
            break;
        }
    }
    all.into_iter().filter(|process| process.pid != root && below.contains(&process.pid)).collect()
}

/// Running processes with this entry (`NAME=value`) in the environment that they were started with, wherever
/// they hang in the tree.
pub fn marked_processes(entry: &str) -> Vec<Process> {
    let carries = |pid: u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
    };
    all().into_iter().filter(|process| !process.is_zombie() && carries(process.pid)).collect()
}

fn all() -> Vec<Process> {
    let Ok(listing) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = listing.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut all: Vec<Process> = ids.filter_map(process).collect();
    all.sort_by_key(|process| process.pid);
    all
}

/// Returns a number from `/proc/<pid>/status`, such as `VmRSS`.
pub(crate) fn status_number(pid: u32, key: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

pub(crate) fn open_descriptors(pid: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count())
}

/// Sends a signal; that the process is gone already is no error.
pub fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _gone = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found_with_its_parent() {
        let own = process(std::process::id());
        let own = own.as_ref();
        assert!(own.is_some_and(|own| own.parent == std::os::unix::process::parent_id() && own.state != 'Z'));
        assert!(is_alive(std::process::id()));
        assert!(status_number(std::process::id(), "VmRSS").is_some_and(|kib| kib > 100));
        assert!(status_number(std::process::id(), "Threads").is_some_and(|threads| threads >= 1));
        assert!(open_descriptors(std::process::id()).is_some_and(|open| open >= 3));
    }
}
