//! What a server's owner shows to others: its log, its state, its readers' seats.

use crate::CallError;
use crate::seats::Seats;
use sa_api::{AcpServerStatus, AgentExit};
use sa_relay::{Log, Segment};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::Notify;

/// One writer, the owner; everybody else reads. The locks are held for a few instructions and never across an await.
#[derive(Debug)]
pub(crate) struct Shared {
    log: Mutex<Log>,
    state: Mutex<State>,
    /// Numbers of the open sockets.
    sockets: Mutex<BTreeSet<u32>>,
    pub(crate) seats: Seats,
    /// Wakes the owner: a reader caught up, or a reader or caller left.
    pub(crate) nudge: Notify,
    /// Whether the owner waits for readers to catch up.
    pub(crate) holding: AtomicBool,
    closed: AtomicBool,
    /// Why there never was an agent, for whoever comes too late to be answered by the owner.
    pub(crate) failure: OnceLock<CallError>,
}

/// What the list of servers says.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) status: AcpServerStatus,
    pub(crate) version: Option<String>,
    pub(crate) pid: Option<u32>,
    pub(crate) exit: Option<AgentExit>,
    pub(crate) pending_requests: usize,
}

impl Shared {
    /// A log of so many bytes, whose first record has the number after `base`.
    pub(crate) fn new(log_bytes: usize, base: u64) -> Self {
        let status = AcpServerStatus::Starting;
        let state = State { status, version: None, pid: None, exit: None, pending_requests: 0 };
        Self {
            log: Mutex::new(Log::continuing(log_bytes, base)),
            state: Mutex::new(state),
            sockets: Mutex::default(),
            seats: Seats::new(),
            nudge: Notify::new(),
            holding: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn sockets(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to the log, then wakes the readers. Gives back a buffer that can be used again.
    pub(crate) fn append(&self, segment: Segment) -> Option<Vec<u8>> {
        let spare = self.log().append(segment);
        self.seats.wake();
        spare
    }

    /// Nothing more will be added: readers end where the log ends.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.seats.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
