//! A disk that can be filled: a small file system in memory, in a mount namespace of this program's own.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Holds the data of many sessions, and is filled in a moment.
const BYTES: &str = "size=96m";

/// A file system that holds the daemon's data.
pub(crate) struct SmallDisk {
    root: PathBuf,
}

impl SmallDisk {
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
