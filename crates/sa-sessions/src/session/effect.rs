//! Everything that a session wants done. The driver executes effects in their order.

use crate::agent::{Opens, RpcError};
use crate::command::Answer;
use crate::log::EventLine;
use crate::record::Requested;
use sa_api::Timestamp;
use sa_api::sessions::Usage;
use sa_otlp::TraceContext;
use sa_store::Change;
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) enum Effect {
    /// Store this, however often that has to be tried, then publish it.
    Commit(Commit),
    /// Store this and publish it, or report the failure. Either way with [`Input::Stored`](super::Input::Stored).
    TryCommit(Commit),
    /// Show clients the record and the queue as they are now.
    Show,
    ShowTrace(Option<TraceContext>),
    ShowEnvironment(BTreeMap<String, String>),
    /// Count a turn, for those who watch the daemon.
    CountTurn,
    /// Count what a turn has used, for the same.
    CountEnd(Box<EndedTurn>),
    /// Route messages of this session of the agent here.
    Adopt(String),
    /// Send the agent a request; its answer comes under this number.
    Call {
        call: u64,
        method: &'static str,
        params: Value,
        opens: Opens,
    },
    Notify {
        method: &'static str,
        params: Value,
    },
    /// Answer a request of the agent, by the JSON of its id.
    Answer {
        request: String,
        outcome: Result<Value, RpcError>,
    },
    /// Have the agent's process take no new sessions.
    Retire,
    /// Let go of the agent's process, which ends if no other session uses it.
    Leave,
    Reply(Answer),
    Start(Job),
    /// Stop the job of the agent's start, if one runs.
    Abort,
    /// Remove the skills that were put in place for the session.
    ReleaseSkills,
    CloseLog,
    /// Nothing more happens in this session.
    Stop,
}

/// Changes that are stored together.
pub(crate) struct Commit {
    pub(crate) change: Change,
    /// The events of the change, as readers get them.
    pub(crate) lines: Vec<EventLine>,
}

/// A turn that has ended. One whose beginning an earlier daemon saw has no start.
pub(crate) struct EndedTurn {
    pub(crate) agent: String,
    pub(crate) model: String,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) usage: Option<Usage>,
}

/// Work that takes a while. Each job reports back with one input.
pub(crate) enum Job {
    /// Put skills in place and read the configuration of MCP servers.
    PrepareContext { request: Box<Requested>, cwd: String, env: BTreeMap<String, String> },
    /// Get a process of the agent, installed first if need be.
    Connect {
        agent: String,
        version: Option<String>,
        /// The session's environment, by which sessions find a process to share.
        env: BTreeMap<String, String>,
        /// Variables that the process gets if it is started for this session.
        trace: BTreeMap<String, String>,
    },
    /// Read the conversation before this turn.
    ReadHistory { current_turn: Option<String> },
    /// Look up the idempotency key of a message, if it has one. These are not aborted.
    LookUpKey(Option<String>),
}
