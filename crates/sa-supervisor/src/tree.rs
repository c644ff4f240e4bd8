//! One child with everything it started: what is known of it, shared by the handle, the keeper and the sweeper.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::sync::watch;
use uuid::Uuid;

use crate::guardian::GuardianLink;
use crate::process::Exit;
use crate::stderr::Tail;
use parking_lot::{Mutex, MutexGuard};

/// ```text
///  running ──exit seen──► leader ended ──nothing left──► gone
///     └──────stop: TERM, grace, KILL, nothing left────────►┘
/// ```
pub(crate) struct Tree {
    id: Uuid,
    leader: Pid,
    guardian: Arc<GuardianLink>,
    leader_reaped: AtomicBool,
    group_gone: AtomicBool,
    /// SIGKILL was sent to it from here.
    killed: AtomicBool,
    out_of_memory: AtomicBool,
    exit: watch::Sender<Option<Exit>>,
    gone: watch::Sender<bool>,
    tail: Mutex<Tail>,
}

impl Tree {
    pub(crate) fn new(id: Uuid, leader: Pid, guardian: Arc<GuardianLink>) -> Self {
        Tree {
            id,
            leader,
            guardian,
            leader_reaped: AtomicBool::new(false),
            group_gone: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            out_of_memory: AtomicBool::new(false),
            exit: watch::Sender::new(None),
            gone: watch::Sender::new(false),
            tail: Mutex::default(),
        }
    }

    pub(crate) fn id(&self) -> Uuid {
        self.id
    }

    /// Returns the value of the environment variable that marks its processes.
    pub(crate) fn marker(&self) -> String {
        self.id.to_string()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.leader.as_raw_pid().unsigned_abs()
    }

    /// Returns the number of the process group, while it can still have members.
    pub(crate) fn group(&self) -> Option<i32> {
        (!self.group_gone.load(Ordering::Acquire)).then(|| self.leader.as_raw_pid())
    }

    /// Returns the number of the first process, while its number cannot belong to another.
    pub(crate) fn leader(&self) -> Option<i32> {
        (!self.leader_reaped.load(Ordering::Acquire)).then(|| self.leader.as_raw_pid())
    }

    pub(crate) fn guardian(&self) -> &Arc<GuardianLink> {
        &self.guardian
    }

    pub(crate) fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock()
    }

    /// Notes that the leader's status was collected. From here on only members of its group keep its number taken, so
    /// an empty group is remembered: the number may soon be another process's.
    pub(crate) fn leader_was_reaped(&self) {
        self.leader_reaped.store(true, Ordering::Release);
        self.group_exists();
    }

    /// Returns whether the group has a member, a zombie included.
    pub(crate) fn group_exists(&self) -> bool {
        if self.group().is_none() {
            return false;
        }
        let exists = test_kill_process_group(self.leader) != Err(Errno::SRCH);
        if !exists && self.leader().is_none() {
            self.group_gone.store(true, Ordering::Release);
        }
        exists
    }

    pub(crate) fn signal_group(&self, signal: Signal) {
        if self.group_exists()
            && let Err(error) = kill_process_group(self.leader, signal)
            && error != Errno::SRCH
        {
            tracing::debug!(pid = self.pid(), %error, "process group cannot be signalled");
        }
    }

    /// Notes that the tree is being killed.
    pub(crate) fn mark_killed(&self) {
        self.killed.store(true, Ordering::Release);
    }

    pub(crate) fn was_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    /// Notes that the kernel killed it because memory ran out.
    pub(crate) fn out_of_memory(&self) {
        self.out_of_memory.store(true, Ordering::Release);
    }

    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::Acquire)
    }

    pub(crate) fn announce_exit(&self, exit: Exit) {
        self.exit.send_replace(Some(exit));
    }

    pub(crate) fn exit(&self) -> Option<Exit> {
        self.exit.borrow().clone()
    }

    pub(crate) async fn exited(&self) -> Exit {
        let mut exit = self.exit.subscribe();
        // The sender lives in `self`, so the channel cannot close under this wait.
        match exit.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(exit)) => exit.clone(),
            Ok(None) | Err(_) => Exit::killed(),
        }
    }

    pub(crate) fn mark_gone(&self) {
        self.gone.send_replace(true);
    }

    pub(crate) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    pub(crate) async fn ended(&self) {
        // An error means that the sender is gone, and it lives in `self`.
        let _ = self.gone.subscribe().wait_for(|gone| *gone).await;
    }
}
