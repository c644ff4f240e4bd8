//! Own mount and network namespaces, so that disks and networks can be broken without harm to the machine.

use anyhow::{Context, Result, ensure};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The flag of a process that is in its own namespaces.
const INSIDE: &str = "--inside-namespace";

/// Starts this program again in its own namespaces; returns the reason if the machine does not allow that.
pub(crate) fn enter() -> Result<&'static str> {
    let options = if rustix::process::geteuid().is_root() { "-mn" } else { "-Urmn" };
    let mut probe = Command::new("unshare");
    probe.args([options, "sh", "-c", "ip link set lo up && mount -t tmpfs none /mnt"]);
    let works = probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        return Ok("this machine does not allow own mount and network namespaces");
    }
    let mut again = Command::new("unshare");
    again.arg(options).arg(std::env::current_exe()?).args(std::env::args_os().skip(1)).arg(INSIDE);
    Err(again.exec()).context("cannot run unshare")
}

/// Makes loopback work in a new network namespace.
pub(crate) fn bring_up_loopback() -> Result<()> {
    let status = Command::new("ip").args(["link", "set", "lo", "up"]).status().context("cannot run ip")?;
    ensure!(status.success(), "cannot bring up loopback: {status}");
    Ok(())
}
