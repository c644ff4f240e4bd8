//! A client of `/v1/fs` and the directory that the daemon under test works in.

use anyhow::Result;
use sa_testkit::{Daemon, Reply, Request};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A daemon and its workspace.
pub(crate) struct Fs {
    pub(crate) daemon: Daemon,
    pub(crate) home: PathBuf,
}

impl Fs {
    /// Creates a daemon that may use every path.
    pub(crate) async fn start() -> Result<Self> {
        Ok(Self::new(Daemon::builder().start().await?))
    }

    /// Creates a daemon with these bounds in `[files]`.
    pub(crate) async fn with_limits(limits: &str) -> Result<Self> {
        Ok(Self::new(Daemon::builder().config(&format!("[files]\n{limits}\n")).start().await?))
    }

    pub(crate) fn new(daemon: Daemon) -> Self {
        // The real path: temporary directories may lie behind links.
        let home = daemon.sandbox().home().canonicalize().unwrap();
        Self { daemon, home }
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.home.join(name)
    }

    pub(crate) fn get(&self, operation: &str, path: impl AsRef<OsStr>) -> Request {
        self.daemon.http().get(&address(operation, path))
    }

    pub(crate) fn put(&self, path: impl AsRef<OsStr>, body: impl Into<Vec<u8>>) -> Request {
        self.daemon.http().put(&address("file", path)).body(body.into())
    }

    pub(crate) fn post(&self, operation: &str, path: impl AsRef<OsStr>) -> Request {
        self.daemon.http().post(&address(operation, path))
    }

    pub(crate) async fn read(&self, path: impl AsRef<OsStr>) -> Result<Reply> {
        self.get("file", path).send().await
    }

    pub(crate) async fn write(&self, path: impl AsRef<OsStr>, body: impl Into<Vec<u8>>) -> Result<Reply> {
        self.put(path, body).send().await
    }

    pub(crate) async fn stat(&self, path: impl AsRef<OsStr>) -> Result<Reply> {
        self.get("stat", path).send().await
    }

    pub(crate) async fn list(&self, path: impl AsRef<OsStr>) -> Result<Reply> {
        self.get("entries", path).send().await
    }

    /// Names in a directory as the disk has them, sorted.
    pub(crate) fn names(&self, directory: impl AsRef<Path>) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.join(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

pub(crate) fn address(operation: &str, path: impl AsRef<OsStr>) -> String {
    format!("/v1/fs/{operation}?path={}", encode(path))
}

/// Returns a value of a query.
pub(crate) fn encode(value: impl AsRef<OsStr>) -> String {
    value.as_ref().as_bytes().iter().map(|byte| format!("%{byte:02X}")).collect()
}
