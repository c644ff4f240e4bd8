//! A client of `/v1/fs` and the directory that the daemon under test works in.

use anyhow::Result;
use sa_testkit::{Daemon, Reply, Request};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A daemon and its workspace.
pub struct Fs {
    pub daemon: Daemon,
    pub home: PathBuf,
}

impl Fs {
    /// A daemon that may use every path.
    pub async fn start() -> Result<Self> {
        Ok(Self::new(Daemon::builder().start().await?))
    }

    /// A daemon with these bounds in `[files]`.
    pub async fn with_limits(limits: &str) -> Result<Self> {
        Ok(Self::new(Daemon::builder().config(&format!("[files]\n{limits}\n")).start().await?))
    }

    pub fn new(daemon: Daemon) -> Self {
        // The real path: temporary directories may lie behind links.
        let home = daemon.sandbox().home().canonicalize().unwrap();
        Self { daemon, home }
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.home.join(name)
    }

    pub fn get(&self, operation: &str, path: impl AsRef<OsStr>) -> Request {
        self.daemon.http().get(&address(operation, path))
    }

    pub fn put(&self, path: impl AsRef<OsStr>, body: impl Into<Vec<u8>>) -> Request {
        self.daemon.http().put(&address("file", path)).body(body.into())
    }

    pub fn post(&self, operation: &str, path: impl AsRef<OsStr>) -> Request {
        self.daemon.http().post(&address(operation, path))
    }

    pub async fn read(&self, path: impl AsRef<OsStr>) -> Result<Reply> {
        self.get("file", path).send().await
    }

    pub async fn write(&self, path: impl AsRef<OsStr>, body: impl Into<Vec<u8>>) -> Result<Reply> {
        self.put(path, body).send().await
    }

    pub async fn stat(&self, path: impl AsRef<OsStr>) -> Result<Reply> {
        self.get("stat", path).send().await
    }

    pub async fn list(&self, path: impl AsRef<OsStr>) -> Result<Reply> {
        self.get("entries", path).send().await
    }

    /// Names in a directory as the disk has them, sorted.
    pub fn names(&self, directory: impl AsRef<Path>) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.join(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Where an operation is, with its path.
pub fn address(operation: &str, path: impl AsRef<OsStr>) -> String {
    format!("/v1/fs/{operation}?path={}", encode(path))
}

/// A value of a query.
pub fn encode(value: impl AsRef<OsStr>) -> String {
    value.as_ref().as_bytes().iter().map(|byte| format!("%{byte:02X}")).collect()
}
