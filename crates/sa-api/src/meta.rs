//! What the daemon says of itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Liveness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Always `ok`: a daemon that cannot say so does not answer.
    pub status: String,
    /// Version of the daemon.
    pub version: String,
    /// Milliseconds since it started.
    pub uptime_ms: u64,
}

/// Name, version and where to go from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    /// `sandbox-agent`.
    pub name: String,
    /// Version of the daemon.
    pub version: String,
    /// Paths on this server.
    pub links: InfoLinks,
}

/// Paths on this server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InfoLinks {
    /// Liveness.
    pub health: String,
    /// The contract.
    pub openapi: String,
    /// Agents that can be started.
    pub agents: String,
    /// Universal sessions.
    pub sessions: String,
    /// ACP servers that run.
    pub acp_servers: String,
    /// The standard ACP remote transport.
    pub acp: String,
    /// Prometheus metrics.
    pub metrics: String,
}
