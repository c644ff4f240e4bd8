//! The parts that a program has only once, for any number of supervisors: the thread that forks and reaps, the thread
//! that ends trees, and the list of trees.
//!
//! Children, orphans and SIGCHLD belong to the process, not to a value in it, so this is shared. A supervisor
//! adds what is its own: an environment, an identity, a guardian.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::thread;

use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::error::{SpawnError, StartError};
use crate::keeper::{Keeper, Launch, Newborn, Request};
use crate::limits;
use crate::sweeper::{self, Sweeper};
use crate::tree::Tree;
use parking_lot::{Mutex, MutexGuard};

static HOST: Mutex<Option<Arc<Host>>> = Mutex::new(None);

pub(crate) struct Host {
    requests: mpsc::Sender<Request>,
    sweeper: Sweeper,
    trees: Mutex<HashMap<Uuid, Arc<Tree>>>,
    servants: Mutex<HashSet<i32>>,
    forks: Mutex<()>,
}

impl Host {
    /// Returns the program's host; the first call starts its threads, which never end: a child is killed when the
    /// thread that forked it does.
    pub(crate) fn get() -> Result<Arc<Host>, StartError> {
        let mut slot = HOST.lock();
        if let Some(host) = &*slot {
            return Ok(Arc::clone(host));
        }
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|error| StartError::Subreaper(error.into()))?;
        let (requests, inbox) = mpsc::channel(limits::SPAWN_QUEUE);
        let host = Arc::new(Host {
            requests,
            sweeper: Sweeper::default(),
            trees: Mutex::default(),
            servants: Mutex::default(),
            forks: Mutex::default(),
        });
        let (keeping, sweeping) = (Arc::clone(&host), Arc::clone(&host));
        start_thread("sa-keeper", move || Keeper::new(keeping).run(inbox))?;
        start_thread("sa-sweeper", move || sweeper::run(&sweeping))?;
        *slot = Some(Arc::clone(&host));
        Ok(host)
    }

    pub(crate) fn sweeper(&self) -> &Sweeper {
        &self.sweeper
    }

    /// Has the keeper start a child.
    pub(crate) async fn launch(&self, launch: Launch) -> Result<Newborn, SpawnError> {
        let (reply, answer) = oneshot::channel();
        let stopped = || SpawnError::Io(io::Error::other("the thread that starts processes has ended"));
        let request = Request::Launch { launch: Box::new(launch), reply };
        self.requests.send(request).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }

    /// Has the keeper collect ended children. When its queue is full it does so anyway: after each request.
    pub(crate) fn reap(&self) {
        let _ = self.requests.try_send(Request::Reap);
    }

    /// Waits until the keeper has served all earlier requests.
    pub(crate) async fn settle(&self) {
        let (reply, answer) = oneshot::channel();
        if self.requests.send(Request::Settle { reply }).await.is_ok() {
            let _ = answer.await;
        }
    }

    pub(crate) fn remember(&self, tree: &Arc<Tree>) {
        self.trees.lock().insert(tree.id(), Arc::clone(tree));
    }

    /// Removes a tree that is over.
    pub(crate) fn forget(&self, tree: &Tree) {
        self.trees.lock().remove(&tree.id());
        tree.guardian().release(tree.pid());
        tree.mark_gone();
    }

    pub(crate) fn tree_count(&self) -> usize {
        self.trees.lock().len()
    }

    pub(crate) fn trees(&self, wanted: impl Fn(&Tree) -> bool) -> Vec<Arc<Tree>> {
        self.trees.lock().values().filter(|tree| wanted(tree)).cloned().collect()
    }

    /// Numbers of the guardians, which are children of the daemon and in no tree.
    pub(crate) fn servants(&self) -> HashSet<i32> {
        self.servants.lock().clone()
    }

    pub(crate) fn add_servant(&self, pid: i32) {
        self.servants.lock().insert(pid);
    }

    pub(crate) fn remove_servant(&self, pid: i32) {
        self.servants.lock().remove(&pid);
    }

    /// While this is held nothing is between its fork and its place in the lists.
    pub(crate) fn hold_forks(&self) -> MutexGuard<'_, ()> {
        self.forks.lock()
    }
}

fn start_thread(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), StartError> {
    let builder = thread::Builder::new().name(name.to_owned()).stack_size(limits::THREAD_STACK_BYTES);
    builder.spawn(body).map(drop).map_err(StartError::Thread)
}
