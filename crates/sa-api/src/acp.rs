//! ACP servers: one agent process behind one client-chosen id.

use crate::Timestamp;
use sa_api_macros::api;

/// The ACP servers of this daemon.
#[api(Eq)]
pub struct AcpServerList {
    /// ACP servers in the order of creation.
    pub servers: Vec<AcpServer>,
}

/// An ACP server.
#[api(Eq)]
pub struct AcpServer {
    /// Id of the server.
    pub server_id: String,
    /// Id of the agent.
    pub agent: String,
    /// Version of the agent that runs or ran last, if it is known.
    pub agent_version: Option<String>,
    /// Time at which the server was created.
    pub created_at: Timestamp,
    /// `createdAt` in milliseconds since 1970.
    #[schema(deprecated)]
    pub created_at_ms: u64,
    /// Status of the agent.
    pub status: AcpServerStatus,
    /// Process id of the agent while it runs.
    pub pid: Option<u32>,
    /// Exit of the agent, if it exited.
    pub exit: Option<AgentExit>,
    /// Number of requests that the agent has not answered.
    pub pending_requests: usize,
    /// Id of the newest event. 0 before the first event.
    pub last_event_id: u64,
    /// The sessions whose agent it runs, if the daemon started it for sessions. Such a server ends with its sessions and cannot be
    /// deleted.
    #[optional]
    pub session_ids: Vec<String>,
}

/// Status of the agent of an ACP server.
#[api]
pub enum AcpServerStatus {
    /// The agent is being installed.
    Installing,
    /// The agent is being started.
    Starting,
    /// The agent runs.
    Running,
    /// The agent exited. The next `POST` with `agent` starts it again.
    Exited,
}

/// Exit of an agent. Data of the `exit` event.
#[api(Default, Eq)]
pub struct AgentExit {
    /// Exit code, if the agent exited by itself.
    #[schema(required = true)]
    pub code: Option<i32>,
    /// Number of the signal that ended the agent.
    #[schema(required = true)]
    pub signal: Option<i32>,
    /// End of the agent's standard error.
    pub stderr_tail: String,
}

/// Events that are no longer kept. Data of the `gap` event.
#[api(Eq)]
pub struct Gap {
    /// Id of the oldest event that is kept; the stream continues with it. 0 if there is none.
    pub oldest: u64,
    /// Id of the newest event.
    pub newest: u64,
}

/// Output of the agent that is not a JSON-RPC message. Data of the `unparsed` event.
#[api(Eq)]
pub struct Unparsed {
    /// The line. Invalid UTF-8 is replaced.
    pub raw: String,
    /// Length of the line in bytes.
    pub bytes: u64,
    /// True if `raw` has only the beginning of the line.
    pub truncated: bool,
    /// Reason why the line is not a message.
    pub reason: String,
}
