//! The installations that run in this process. Equal requests are one installation.

use super::job::{Job, Reporter};
use super::request::Selecting;
use super::{InstallRequest, Installed};
use crate::error::InstallError;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The identity of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) agent: String,
    pub(super) request: InstallRequest,
    pub(super) selecting: Selecting,
}

/// Installations by what was asked for.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    running: Arc<Mutex<HashMap<Key, Job>>>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Jobs {
    /// Joins the installation that does the same, or starts one that belongs to nobody who asks.
    pub(super) fn join_or_start<F, W>(&self, key: Key, work: F) -> Job
    where
        F: FnOnce(Arc<Reporter>) -> W,
        W: Future<Output = Result<Installed, InstallError>> + Send + 'static,
    {
        let mut running = self.running.lock();
        if let Some(job) = running.get(&key).filter(|job| job.is_running()) {
            return job.clone();
        }
        let (reporter, job) = Reporter::new(&key.agent);
        let reporter = Arc::new(reporter);
        running.insert(key.clone(), job.clone());
        let work = work(Arc::clone(&reporter));
        let entry = Entry { running: Arc::clone(&self.running), key };
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            let outcome = stop
                .run_until_cancelled(work)
                .await
                .unwrap_or_else(|| Err(InstallError::Interrupted(entry.key.agent.clone())));
            drop(entry);
            reporter.finish(outcome);
        });
        job
    }

    pub(super) async fn shutdown(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Takes a job off the list when it ends, however it does.
struct Entry {
    running: Arc<Mutex<HashMap<Key, Job>>>,
    key: Key,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.running.lock().remove(&self.key);
    }
}
