//! A disk that can be filled: a small file system in memory, in a mount namespace of this program's own.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Holds the data of many sessions, and is filled in a moment.
const BYTES: &str = "size=96m";

/// The flag of a process that is in its own namespace.
pub(crate) const INSIDE: &str = "--inside-namespace";

/// A file system that holds the daemon's data.
pub(crate) struct SmallDisk {
    root: PathBuf,
}

impl SmallDisk {
    /// Starts this program again in its own mount namespace; returns only if the machine does not allow that.
    pub(crate) fn enter_namespace() -> Result<String> {
        let options: &[&str] = if rustix::process::geteuid().is_root() { &["-m"] } else { &["-Urm"] };
        let mut probe = Command::new("unshare");
        probe.args(options).args(["mount", "-t", "tmpfs", "none", "/mnt"]);
        let works = probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !works.is_ok_and(|status| status.success()) {
            return Ok("this machine does not allow mounts in a namespace".to_owned());
        }
        let own = std::env::current_exe()?;
        let mut again = Command::new("unshare");
        again.args(options).arg(own).args(std::env::args_os().skip(1)).arg(INSIDE);
        Err(again.exec()).context("cannot run unshare")
    }

    /// Mounts an empty file system on the directory.
    pub(crate) fn mount(root: &Path) -> Result<Self> {
        fs::create_dir_all(root).with_context(|| root.display().to_string())?;
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", BYTES, "none"]).arg(root).status()?;
        ensure!(mounted.success(), "cannot mount a file system on {}", root.display());
        Ok(Self { root: root.to_owned() })
    }

    fn filler(&self) -> PathBuf {
        self.root.join("filler")
    }

    /// Takes all space that is left; returns the number of bytes.
    pub(crate) fn fill(&self) -> Result<u64> {
        let mut filler = File::create(self.filler()).context("creating a file that fills the disk")?;
        for size in [1 << 20, 1 << 12, 1 << 9] {
            let block = vec![1; size];
            while filler.write_all(&block).is_ok() {}
        }
        Ok(filler.metadata()?.len())
    }

    /// Frees the space again.
    pub(crate) fn empty(&self) -> Result<()> {
        fs::remove_file(self.filler()).context("removing the file that fills the disk")
    }
}
