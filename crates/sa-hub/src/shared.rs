//! The part of a server that its owner shares with others: the journal and the state.

use crate::CallError;
use parking_lot::{Mutex, MutexGuard};
use sa_api::{AcpServerStatus, AgentExit};
use sa_journal::{Journal, Ring};
use sa_relay::Segment;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

/// One writer, the owner; everybody else reads. The locks are held for a few instructions and never across an await.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Nudged also when a caller leaves.
    pub(crate) journal: Arc<Journal<Arc<Segment>>>,
    pub(crate) event_streams: AtomicUsize,
    state: Mutex<ServerState>,
    /// Numbers of the open sockets.
    sockets: Mutex<BTreeSet<u32>>,
    /// The reason why no agent ever ran, for callers that come after the owner has ended.
    pub(crate) failure: OnceLock<CallError>,
}

/// The state in the list of servers.
#[derive(Debug, Clone)]
pub(crate) struct ServerState {
    pub(crate) status: AcpServerStatus,
    pub(crate) version: Option<String>,
    pub(crate) pid: Option<u32>,
    pub(crate) exit: Option<AgentExit>,
    pub(crate) pending_requests: usize,
}

impl Shared {
    /// Creates a log of so many bytes, whose first record has the number after `base`.
    pub(crate) fn new(log_bytes: usize, base: u64) -> Self {
        let status = AcpServerStatus::Starting;
        let state = ServerState { status, version: None, pid: None, exit: None, pending_requests: 0 };
        Self {
            journal: Arc::new(Journal::new(Ring::continuing(log_bytes, base))),
            event_streams: AtomicUsize::new(0),
            state: Mutex::new(state),
            sockets: Mutex::default(),
            failure: OnceLock::new(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock()
    }

    pub(crate) fn sockets(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.sockets.lock()
    }
}
