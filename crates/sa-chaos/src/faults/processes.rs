//! A limit of processes and threads, by a control group: limits of users do not bind root.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of control groups with a counter of processes, in both versions.
const ROOTS: [&str; 2] = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];

/// A control group for the daemon. Removed when dropped, if it is empty by then.
#[derive(Debug)]
pub(crate) struct ProcessLimit {
    group: PathBuf,
}

impl ProcessLimit {
    /// Creates a group, if this user may.
    pub(crate) fn create() -> Option<Self> {
        let groups =
            ROOTS.iter().map(|root| Path::new(root).join(format!("sa-chaos-{}", std::process::id())));
        let mut created = groups.filter(|group| fs::create_dir(group).is_ok()).map(|group| Self { group });
        // Without the counter the directory is of no use, and dropping it removes it.
        created.find(|limit| limit.group.join("pids.max").exists())
    }

    /// Leaves the process so many more processes and threads than it has.
    pub(crate) fn begin(&self, pid: u32, more: u64) -> Result<u64> {
        fs::write(self.group.join("cgroup.procs"), pid.to_string())
            .context("moving the daemon to a control group")?;
        let current: u64 = fs::read_to_string(self.group.join("pids.current"))?.trim().parse()?;
        fs::write(self.group.join("pids.max"), (current + more).to_string()).context("limiting processes")?;
        Ok(current + more)
    }

    pub(crate) fn end(&self) -> Result<()> {
        fs::write(self.group.join("pids.max"), "max").context("lifting the limit of processes")
    }
}

impl Drop for ProcessLimit {
    fn drop(&mut self) {
        // A daemon that still runs keeps its group.
        let _in_use = fs::remove_dir(&self.group);
    }
}
