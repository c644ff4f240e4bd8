//! The process that serves all sessions of an agent: requests to it with deadlines, and work that waits until it is ready.
//!
//! ```text
//!  absent ──started──► starting ──set_ready──► ready
//!    ▲                    │ dismiss              │ dismiss
//!    └──── on_ended ──────┴──────► ending ◄──────┘
//! ```

use crate::process::children::ChildId;
use crate::process::pending::Pending;
use crate::process::processes::Processes;
use crate::served::Job;
use crate::session::mcp_wait::McpWait;
use agent_client_protocol_schema::v1::SessionId;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The number of unknown lines that are kept until there is a session.
const MAX_KEPT: usize = 16;

/// The link between a session and the server.
#[derive(Debug, Default)]
pub struct Link {
    state: LinkState,
    /// MCP servers that the first prompt waits for.
    pub mcp: McpWait,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LinkState {
    /// The server knows the session.
    #[default]
    Up,
    /// The process that knew the session ended.
    Down,
    /// The next process was asked to continue the session, or will be.
    Awaited,
}

impl Link {
    /// Returns whether the server knows the session.
    pub fn is_up(&self) -> bool {
        self.state == LinkState::Up
    }

    /// Notes that the server knows the session.
    pub fn set_up(&mut self) {
        self.state = LinkState::Up;
    }

    /// Notes that the server does not know the session.
    pub fn set_down(&mut self) {
        self.state = LinkState::Down;
    }

    /// Returns whether a prompt can be sent. If not, continues the session in the next process, or notes that the prompt
    /// waits for MCP servers.
    pub fn is_ready<O, T>(&mut self, server: &mut Server<O, T>, id: &SessionId, now: Duration) -> bool {
        if self.state == LinkState::Down {
            self.state = LinkState::Awaited;
            server.jobs.push_back(Job::Revive(id.clone()));
        }
        if self.is_up() && !self.mcp.is_done() {
            self.mcp.hold(now);
        }
        self.is_up() && self.mcp.is_done()
    }
}

/// A process that serves all sessions. `O` is a client's request to open a session, `T` the continuation of a request.
#[derive(Debug)]
pub struct Server<O, T> {
    /// Work that waits for the server.
    pub jobs: VecDeque<Job<O>>,
    /// Sessions of sub-agents by the server's own ids, each with the session of the client that it works for.
    pub offspring: BTreeMap<String, Arc<str>>,
    state: State,
    requests: Pending<u64, Awaited<T>>,
    last: u64,
    kept: Vec<Value>,
    failed_starts: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Starting(ChildId),
    Ready(ChildId),
    Ending(ChildId),
}

#[derive(Debug)]
struct Awaited<T> {
    then: T,
    /// The reason why the answer will not come.
    broken: Option<String>,
}

/// The end of a server process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ServerEnd {
    /// The server was dismissed.
    Expected,
    /// The server was ready and ended by itself.
    Lost,
    /// The server was never ready.
    Failed,
}

impl<O, T> Default for Server<O, T> {
    fn default() -> Self {
        Self {
            jobs: VecDeque::new(),
            offspring: BTreeMap::new(),
            state: State::Absent,
            requests: Pending::default(),
            last: 0,
            kept: Vec::new(),
            failed_starts: 0,
        }
    }
}

impl<O, T> Server<O, T> {
    pub fn child(&self) -> Option<ChildId> {
        match self.state {
            State::Absent => None,
            State::Starting(child) | State::Ready(child) | State::Ending(child) => Some(child),
        }
    }

    /// Returns whether the server takes requests for sessions.
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// Notes the process that was started.
    pub(crate) fn started(&mut self, child: ChildId) {
        self.state = State::Starting(child);
    }

    /// Notes that the server is ready, unless it was dismissed.
    pub fn set_ready(&mut self) {
        if let State::Starting(child) = self.state {
            self.state = State::Ready(child);
            self.failed_starts = 0;
        }
    }

    /// Notes that the process is to end, and returns it unless that was noted before.
    pub(crate) fn dismiss(&mut self) -> Option<ChildId> {
        let (State::Starting(child) | State::Ready(child)) = self.state else { return None };
        self.state = State::Ending(child);
        Some(child)
    }

    /// Sends a request, as the line that `line` makes of its id. Without a server nothing is sent.
    pub fn ask<L>(
        &mut self,
        processes: &mut Processes<L>,
        deadline: Option<Duration>,
        then: T,
        line: impl FnOnce(u64) -> Vec<u8>,
    ) {
        let Some(child) = self.child() else { return };
        self.last += 1;
        self.requests.insert(self.last, deadline, Awaited { then, broken: None });
        processes.write(child, line(self.last));
    }

    /// Takes the request that was answered.
    pub fn answered(&mut self, id: u64) -> Option<T> {
        self.requests.answered(&id).map(|awaited| awaited.then)
    }

    /// Notes that a request will not be answered. If that is because the process ends, its end until then says more.
    pub fn broken(&mut self, id: u64, reason: String, until: Duration) {
        if let Some(awaited) = self.requests.await_until(&id, until) {
            awaited.broken = Some(reason);
        }
    }

    /// Takes the requests that were not answered in time, each with the reason if that is known.
    pub(crate) fn expired(&mut self, now: Duration) -> impl Iterator<Item = (T, Option<String>)> + use<O, T> {
        self.requests.expired(now).into_iter().map(|awaited| (awaited.then, awaited.broken))
    }

    /// Returns when the next answer is late.
    pub fn deadline(&self) -> Option<Duration> {
        self.requests.deadline()
    }

    /// Returns the continuations of open requests.
    pub fn awaited(&self) -> impl Iterator<Item = &T> {
        self.requests.iter().map(|awaited| &awaited.then)
    }

    /// Notes that the process ended, and returns the requests that it leaves without an answer.
    pub(crate) fn on_ended(&mut self) -> (ServerEnd, Vec<T>) {
        let end = match std::mem::replace(&mut self.state, State::Absent) {
            State::Ending(_) => ServerEnd::Expected,
            State::Ready(_) => ServerEnd::Lost,
            State::Starting(_) | State::Absent => ServerEnd::Failed,
        };
        if end != ServerEnd::Failed {
            self.failed_starts = 0;
        }
        let unanswered = self.requests.take_all().into_iter().map(|awaited| awaited.then);
        (end, unanswered.collect())
    }

    /// Counts a start that failed for a reason that passes; returns whether another one is worth it, of `most` in a row.
    pub(crate) fn may_start_again(&mut self, most: u32) -> bool {
        self.failed_starts += 1;
        self.failed_starts < most
    }

    /// Takes all work that waits.
    pub(crate) fn take_jobs(&mut self) -> VecDeque<Job<O>> {
        self.failed_starts = 0;
        std::mem::take(&mut self.jobs)
    }

    /// Keeps a line that is not known for the first session.
    pub(crate) fn keep(&mut self, what: Value) {
        if self.kept.len() < MAX_KEPT {
            self.kept.push(what);
        }
    }

    pub(crate) fn take_kept(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.kept)
    }
}
