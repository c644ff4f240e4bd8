//! Detects processes that the kernel killed because memory ran out. It does so by SIGKILL, as others do; only its
//! counter of such kills shows the difference.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Exit;

/// The exit code of a shell whose command was killed.
const KILLED_IN_SHELL: i32 = 128 + libc::SIGKILL;

/// The kernel's counter for the daemon's own control group, which its children are in, too.
pub(crate) struct OomCounter {
    file: Option<PathBuf>,
    /// Kills that are accounted for: each explains one death only.
    claimed: u64,
}

impl OomCounter {
    /// Finds the counter. Without one no death is ever attributed to the kernel.
    pub(crate) fn find() -> Self {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let candidates = candidates(Path::new("/sys/fs/cgroup"), &groups);
        let file = candidates.into_iter().find(|file| read(file).is_some());
        Self { file, claimed: 0 }
    }

    /// Returns the number of kills so far.
    pub(crate) fn kills(&self) -> u64 {
        self.file.as_deref().and_then(read).unwrap_or_default()
    }

    /// Returns whether a process that started when the counter stood at `before` died of it.
    pub(crate) fn claim(&mut self, before: u64, exit: &Exit) -> bool {
        if exit.signal != Some(libc::SIGKILL) && exit.code != Some(KILLED_IN_SHELL) {
            return false;
        }
        let accounted = self.claimed.max(before);
        let died = self.kills() > accounted;
        if died {
            self.claimed = accounted + 1;
        }
        died
    }
}

/// Returns the files that may hold the counter, the most specific first: the process's own group as version 2 and
/// version 1 have it, the top of what a container sees, and at last the machine's.
fn candidates(mount: &Path, groups: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(group)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let below = Path::new(group.trim_start_matches('/'));
        let (root, file) = match controllers {
            "" => (mount.to_owned(), "memory.events"),
            list if list.split(',').any(|name| name == "memory") => {
                (mount.join("memory"), "memory.oom_control")
            }
            _ => continue,
        };
        found.push(root.join(below).join(file));
        found.push(root.join(file));
    }
    found.push(PathBuf::from("/proc/vmstat"));
    found
}

/// Reads the counter: all three kinds of file have a line `oom_kill <number>`.
fn read(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn killed() -> Exit {
        Exit { code: None, signal: Some(libc::SIGKILL) }
    }

    #[test]
    fn each_kill_explains_one_death() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let set = |kills: u64| fs::write(file.path(), format!("low 0\noom 9\noom_kill {kills}\n")).unwrap();
        let mut counter = OomCounter { file: Some(file.path().to_owned()), claimed: 0 };
        set(3);
        let before = counter.kills();
        assert_eq!(before, 3);
        assert!(!counter.claim(before, &killed()), "killed by somebody else");
        set(4);
        assert!(!counter.claim(before, &Exit { code: Some(1), signal: None }), "not killed at all");
        assert!(counter.claim(before, &Exit { code: Some(137), signal: None }), "killed below a shell");
        assert!(!counter.claim(before, &killed()), "accounted for");
        set(6);
        assert!(counter.claim(before, &killed()) && counter.claim(before, &killed()), "two at once");
        assert!(!counter.claim(before, &killed()));
        assert!(!counter.claim(6, &killed()), "happened before it started");
    }

    #[test]
    fn the_counter_of_the_own_group_comes_first() {
        let mount = Path::new("/cg");
        let names = |groups: &str| {
            let found = candidates(mount, groups);
            found.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("0::/a/b\n"), ["/cg/a/b/memory.events", "/cg/memory.events", "/proc/vmstat"]);
        let version_1 = names("5:cpu:/x\n4:memory,hugetlb:/y:z\n0::/\n");
        assert_eq!(version_1.first().unwrap(), "/cg/memory/y:z/memory.oom_control");
        assert_eq!(version_1.last().unwrap(), "/proc/vmstat");
    }

    #[test]
    fn without_a_counter_nothing_is_claimed() {
        let mut counter = OomCounter { file: None, claimed: 0 };
        assert!(!counter.claim(counter.kills(), &killed()));
    }
}
