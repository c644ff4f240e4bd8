//! Named pipes, by which a body knows that a command of the agent runs, and holds it up as long as it likes.

use anyhow::{Context, Result};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use sa_testkit::until_some;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A named pipe. A reader waits for its writer.
pub(crate) struct Fifo {
    path: PathBuf,
}

/// The end that is written to; its reader sees the end when it is dropped.
pub(crate) struct Writer {
    file: File,
}

impl Fifo {
    pub(crate) fn new(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .with_context(|| format!("making the pipe {}", path.display()))?;
        Ok(Self { path })
    }

    /// Waits for a reader.
    pub(crate) async fn writer(&self) -> Result<Writer> {
        let open = || {
            let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            rustix::fs::open(&self.path, flags, Mode::empty()).ok()
        };
        let file = until_some(&format!("a reader of {}", self.path.display()), open).await?;
        Ok(Writer { file: File::from(file) })
    }
}

impl Writer {
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        Ok(self.file.write_all(text.as_bytes())?)
    }
}
