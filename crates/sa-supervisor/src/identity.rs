//! Processes that this program did not start: recognized again later, and signalled without hitting another one.

use rustix::process::{Pid, Signal};

/// Names one process for good. The number alone does not, because the system uses it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// The time of its start, in clock ticks after boot. Unknown where there is no `/proc`.
    pub started: Option<u64>,
    /// The boot that `started` counts from.
    pub boot: Option<String>,
}

impl ProcessIdentity {
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { pid, started: started(pid), boot: boot() }
    }

    /// Returns true while this very process runs; a zombie does not.
    pub fn is_running(&self) -> bool {
        match self.started {
            Some(started) => self.boot == boot() && is_alive_since(self.pid, started),
            None => self.raw().is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok()),
        }
    }

    /// Sends a signal to this process and to no other. Returns false if it no longer runs, or may not be signalled.
    pub fn signal(&self, signal: Signal) -> bool {
        let Some(pid) = self.raw() else { return false };
        if !self.is_running() {
            return false;
        }
        match self.started {
            Some(_) => send_to_same(self, pid, signal),
            None => rustix::process::kill_process(pid, signal).is_ok(),
        }
    }

    /// Other numbers than positive ones would name groups of processes.
    fn raw(&self) -> Option<Pid> {
        i32::try_from(self.pid).ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)
    }
}

#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<u64> {
    crate::census::entry(pid).map(|entry| entry.started)
}

#[cfg(target_os = "linux")]
fn is_alive_since(pid: u32, started: u64) -> bool {
    crate::census::entry(pid).is_some_and(|entry| entry.alive && entry.started == started)
}

#[cfg(target_os = "linux")]
fn boot() -> Option<String> {
    Some(std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

/// Sends a signal to the same process. The handle is opened before the process is checked again, so the signal goes
/// to the one that was checked.
#[cfg(target_os = "linux")]
fn send_to_same(process: &ProcessIdentity, pid: Pid, signal: Signal) -> bool {
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => process.is_running() && pidfd_send_signal(handle, signal).is_ok(),
        // Kernels before 5.3, or a sandbox that has no such call.
        Err(Errno::NOSYS | Errno::PERM) => process.is_running() && kill_process(pid, signal).is_ok(),
        Err(_) => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn started(_pid: u32) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn is_alive_since(_pid: u32, _started: u64) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn boot() -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
fn send_to_same(_process: &ProcessIdentity, _pid: Pid, _signal: Signal) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn this_process_runs_and_its_number_alone_is_not_enough() {
        let me = ProcessIdentity::current();
        assert!(me.is_running());
        let earlier = ProcessIdentity { started: me.started.map(|ticks| ticks - 1), ..me.clone() };
        let before_boot = ProcessIdentity { boot: Some("another".to_owned()), ..me };
        for other in [earlier, before_boot] {
            assert!(!other.is_running());
            // Would end this test if it arrived.
            assert!(!other.signal(Signal::KILL));
        }
    }

    #[test]
    fn a_signal_reaches_the_process_and_a_dead_one_gets_none() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let pid = child.id();
        let identity = ProcessIdentity { pid, started: started(pid), boot: boot() };
        assert!(identity.is_running() && identity.signal(Signal::TERM));
        child.wait().unwrap();
        assert!(!identity.is_running() && !identity.signal(Signal::TERM));
    }
}
