//! ACP servers: one agent process behind one client-chosen id.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// All ACP servers of this daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcpServerList {
    /// In the order of their creation.
    pub servers: Vec<AcpServer>,
}

/// One ACP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcpServer {
    /// The id in its URL.
    pub server_id: String,
    /// The agent it is bound to.
    pub agent: String,
    /// The version that runs, or ran last; absent if only the program itself could tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_version: Option<String>,
    /// When the server was created.
    pub created_at: Timestamp,
    /// `createdAt` in milliseconds since 1970.
    #[schema(deprecated)]
    pub created_at_ms: u64,
    /// What its agent is doing.
    pub status: AcpServerStatus,
    /// Process id of the agent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pid: Option<u32>,
    /// How the agent ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub exit: Option<AgentExit>,
    /// Requests that the agent has not answered.
    pub pending_requests: usize,
    /// Sequence number of its newest event; 0 before the first.
    pub last_event_id: u64,
    /// The sessions whose agent it runs, if the daemon started it for sessions. Such a server ends with its sessions and cannot be
    /// deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub session_ids: Vec<String>,
}

/// What the agent of an ACP server is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum AcpServerStatus {
    /// Its program is being installed.
    Installing,
    /// It is being started.
    Starting,
    /// It runs.
    Running,
    /// It ended; the next POST with `agent` starts it again.
    Exited,
}

/// How an agent ended. Data of the `exit` event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentExit {
    /// Exit code, if it exited by itself.
    #[schema(required = true)]
    pub code: Option<i32>,
    /// Number of the signal that ended it, if one did.
    #[schema(required = true)]
    pub signal: Option<i32>,
    /// The last of what it wrote to standard error.
    pub stderr_tail: String,
}

/// Data of the `gap` event: the reader's cursor lies outside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Oldest event that can still be read; the stream goes on with it. 0 if there is none.
    pub oldest: u64,
    /// Newest event.
    pub newest: u64,
}

/// Data of the `unparsed` event: output of the agent that is no JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unparsed {
    /// The line, invalid UTF-8 replaced.
    pub raw: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether `raw` is only how it began.
    pub truncated: bool,
    /// Why it is no message.
    pub reason: String,
}
