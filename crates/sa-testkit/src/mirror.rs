//! A web server on loopback that publishes agents as their vendors do, and fails as networks do.
//!
//! The server has a tree of hosts, `/<host>/<path>`, so it stands for all of them as a mirror; npm's registry is beneath
//! `/npm`. It publishes small shell scripts that print their version.

mod archive;
mod fault;
mod layout;
mod npm;
mod server;

pub use archive::{Entry, program, program_of_size, sha256_hex, tar_bz2, tar_gz, zip};
pub use fault::Fault;
pub use layout::{AMP_PLATFORMS, CLAUDE_PLATFORMS, CODEX_TARGETS, OPENCODE_PLATFORMS};

use anyhow::{Context, Result};
use bytes::Bytes;
use fault::Faults;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The server. It ends when it is dropped.
#[derive(Debug)]
pub struct Mirror {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    server: JoinHandle<()>,
}

/// One request that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The path, with `%2f` and `%40` decoded.
    pub path: String,
    /// The `Range` header.
    pub range: Option<String>,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The `Accept` header.
    pub accept: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, Published>,
    faults: Faults,
    requests: Vec<Recorded>,
    /// The metadata of each package in npm's registry.
    packages: BTreeMap<String, Value>,
}

#[derive(Debug, Clone)]
enum Published {
    Bytes(Bytes),
    /// To another path of this server, or to a whole address.
    Redirect(String),
}

impl Mirror {
    pub async fn start() -> Result<Self> {
        let listener =
            tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.context("listening on loopback")?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State::default()));
        let server = tokio::spawn(server::serve(listener, Arc::clone(&state)));
        Ok(Self { address, state, server })
    }

    /// Returns the address, to be used as a mirror.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the address of its npm registry.
    pub fn npm_registry(&self) -> String {
        format!("{}/npm/", self.url())
    }

    /// Publishes bytes at a path such as `/host/file`.
    pub fn put(&self, path: &str, bytes: impl Into<Bytes>) {
        self.state().files.insert(normal(path), Published::Bytes(bytes.into()));
    }

    pub fn put_redirect(&self, path: &str, target: &str) {
        self.state().files.insert(normal(path), Published::Redirect(target.to_owned()));
    }

    /// Removes what is published at a path, or beneath it if it ends with `*`.
    pub fn remove(&self, path: &str) {
        let path = normal(path);
        self.state().files.retain(|known, _| !fault::matches(&path, known));
    }

    pub fn bytes(&self, path: &str) -> Option<Bytes> {
        match self.state().files.get(&normal(path)) {
            Some(Published::Bytes(bytes)) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// Makes every answer for a path fail; for all beneath it if it ends with `*`.
    pub fn fault(&self, path: &str, fault: Fault) {
        self.state().faults.add(normal(path), fault, None);
    }

    /// Adds a fault for the next `times` answers.
    pub fn fault_times(&self, path: &str, fault: Fault, times: u32) {
        self.state().faults.add(normal(path), fault, Some(times));
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.state().faults = Faults::default();
    }

    /// Returns the requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state().requests.clone()
    }

    pub fn requests_of(&self, path: &str) -> Vec<Recorded> {
        let path = normal(path);
        self.requests().into_iter().filter(|request| request.path == path).collect()
    }

    /// Writes everything as a tree of files, as an offline mirror has it. The metadata of a package becomes
    /// `index.json` in the package's directory; redirects have no form there.
    pub fn write_tree(&self, directory: &Path) -> Result<()> {
        let state = self.state();
        for (path, published) in &state.files {
            let Published::Bytes(bytes) = published else { continue };
            let mut file = directory.join(path.trim_start_matches('/'));
            let beneath = format!("{path}/");
            if state.files.range(beneath.clone()..).next().is_some_and(|(next, _)| next.starts_with(&beneath))
            {
                file.push("index.json");
            }
            std::fs::create_dir_all(file.parent().context("a path with a directory")?)?;
            std::fs::write(&file, bytes).with_context(|| format!("writing {}", file.display()))?;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock()
}

fn normal(path: &str) -> String {
    let path = path.replace("%2f", "/").replace("%2F", "/").replace("%40", "@");
    format!("/{}", path.trim_start_matches('/'))
}
