//! All processes of the machine at one moment, read from `/proc`; and a signal to one of them that cannot hit
//! another process which has taken over its number.
//!
//! Where there is no `/proc` (macOS) there is no census, and only process groups are known.

use std::collections::HashMap;

use rustix::process::Signal;

/// One process, as it was when the census came by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CensusEntry {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// Clock ticks after boot: with `pid` it names a process forever.
    pub(crate) started: u64,
    /// False for a zombie.
    pub(crate) alive: bool,
}

/// The most ancestors that are inspected; a torn reading could otherwise show a circle.
const MAX_DEPTH: usize = 1024;

/// The processes by number.
#[derive(Default)]
pub(crate) struct Census {
    entries: HashMap<i32, CensusEntry>,
}

impl Census {
    #[cfg(any(target_os = "linux", test))]
    pub(crate) fn new(entries: impl IntoIterator<Item = CensusEntry>) -> Self {
        Census { entries: entries.into_iter().map(|entry| (entry.pid, entry)).collect() }
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &CensusEntry> {
        self.entries.values()
    }

    /// Returns this process, the daemon. System calls do not give a valid number for a group or session that was made outside
    /// this pid namespace.
    pub(crate) fn daemon(&self) -> Option<&CensusEntry> {
        self.entries.get(&rustix::process::getpid().as_raw_pid())
    }

    /// Returns the process itself, its parent, and so on.
    pub(crate) fn lineage<'a>(&'a self, entry: &'a CensusEntry) -> impl Iterator<Item = &'a CensusEntry> {
        std::iter::successors(Some(entry), |entry| self.entries.get(&entry.parent)).take(MAX_DEPTH)
    }
}

/// An attempt to take a census.
pub(crate) enum Attempt {
    Taken(Census),
    /// There is no `/proc`.
    Impossible,
    /// No descriptor is free. Processes that were not seen may well run.
    Later,
}

/// Returns whether a file could not be opened because too many are.
pub(crate) fn is_shortage(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{entry, environment, signal};

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::io::{self, Read};

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};

    use super::{Attempt, Census, CensusEntry, Signal, is_shortage};

    /// A line of `stat` has at most 52 numbers and a name of 64 bytes.
    const STAT_BYTES: usize = 2048;

    impl Census {
        /// Reads `/proc`.
        pub(crate) fn take() -> Attempt {
            let directory = match fs::read_dir("/proc") {
                Ok(directory) => directory,
                Err(error) if is_shortage(&error) => return Attempt::Later,
                Err(_) => return Attempt::Impossible,
            };
            let mut entries = Vec::new();
            for item in directory.flatten() {
                match item.file_name().to_str().map(try_entry) {
                    Some(Err(error)) if is_shortage(&error) => return Attempt::Later,
                    Some(Ok(entry)) => entries.extend(entry),
                    Some(Err(_)) | None => {}
                }
            }
            if entries.is_empty() { Attempt::Impossible } else { Attempt::Taken(Census::new(entries)) }
        }
    }

    /// Reads one process; `None` if there is none of that number.
    pub(crate) fn entry(pid: u32) -> Option<CensusEntry> {
        read_entry(&pid.to_string())
    }

    /// `None` for what is not a process, or no longer.
    fn read_entry(name: &str) -> Option<CensusEntry> {
        try_entry(name).ok().flatten()
    }

    fn try_entry(name: &str) -> io::Result<Option<CensusEntry>> {
        let Ok(pid) = name.parse() else { return Ok(None) };
        let mut buffer = [0; STAT_BYTES];
        let count = File::open(format!("/proc/{name}/stat"))?.read(&mut buffer)?;
        Ok(buffer.get(..count).and_then(|line| parse_stat(pid, line)))
    }

    /// Fields are counted as in proc(5), where the first one after the name is the third.
    pub(super) fn parse_stat(pid: i32, line: &[u8]) -> Option<CensusEntry> {
        // The name may hold blanks and parentheses itself.
        let end = line.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(line.get(end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let threads: u32 = fields.nth(20 - 7)?.parse().ok()?;
        let started = fields.nth(22 - 21)?.parse().ok()?;
        // A process whose first thread has ended shows as a zombie while its other threads run on.
        let alive = !matches!(state, "Z" | "X" | "x") || threads > 1;
        Some(CensusEntry { pid, parent, group, session, started, alive })
    }

    /// Returns the environment a process was started with, as `NAME=value` with a NUL byte after each. Empty for a
    /// zombie, a kernel thread, and for an instant during exec.
    pub(crate) fn environment(pid: i32) -> io::Result<Vec<u8>> {
        fs::read(format!("/proc/{pid}/environ"))
    }

    /// Signals the process that `entry` describes and no other.
    pub(crate) fn signal(entry: &CensusEntry, signal: Signal) {
        let Some(pid) = Pid::from_raw(entry.pid) else { return };
        let sent = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) if is_same(entry) => pidfd_send_signal(handle, signal),
            // Kernels before 5.3, or a sandbox that has no such call.
            Err(Errno::NOSYS | Errno::PERM) if is_same(entry) => kill_process(pid, signal),
            Ok(_) | Err(_) => return,
        };
        if let Err(error) = sent
            && error != Errno::SRCH
        {
            tracing::debug!(pid = entry.pid, %error, "process cannot be signalled");
        }
    }

    fn is_same(entry: &CensusEntry) -> bool {
        read_entry(&entry.pid.to_string()).is_some_and(|now| now.started == entry.started)
    }
}

#[cfg(not(target_os = "linux"))]
impl Census {
    pub(crate) fn take() -> Attempt {
        Attempt::Impossible
    }
}

/// Without a census there is nobody to read about.
#[cfg(not(target_os = "linux"))]
pub(crate) fn environment(_pid: i32) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
}

/// Without a census there is nobody to signal.
#[cfg(not(target_os = "linux"))]
pub(crate) fn signal(_entry: &CensusEntry, _signal: Signal) {}

/// Returns the value of `name` in an environment block.
pub(crate) fn variable<'a>(environment: &'a [u8], name: &str) -> Option<&'a [u8]> {
    environment
        .split(|&byte| byte == 0)
        .find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_a_line_whose_name_looks_like_fields() {
        let line = b"77 (a) S 1 (b) Z 5 6 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 991 1 2\n";
        let entry = linux::parse_stat(77, line).unwrap();
        assert_eq!((entry.parent, entry.group, entry.session, entry.started), (5, 6, 7, 991));
        assert!(entry.alive, "three threads are left");
    }

    #[test]
    fn finds_itself_and_its_parent() {
        let Attempt::Taken(census) = Census::take() else { panic!("/proc can be read") };
        let me = census.entries().find(|entry| entry.pid == std::process::id().cast_signed()).unwrap();
        assert!(me.alive);
        let parent = census.lineage(me).nth(1).map(|entry| entry.pid);
        assert_eq!(parent, rustix::process::getppid().map(|pid| pid.as_raw_pid()));
    }

    #[test]
    fn reads_a_variable_by_its_whole_name() {
        let block = b"XA=0\0A=1=2\0B=\0";
        assert_eq!(variable(block, "A"), Some(&b"1=2"[..]));
        assert_eq!(variable(block, "B"), Some(&b""[..]));
        assert_eq!(variable(block, "C"), None);
    }
}
