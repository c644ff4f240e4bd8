//! The daemon itself.

use sa_api_macros::api;

/// Health of the daemon.
#[api(Eq)]
pub struct Health {
    /// Always `ok`.
    pub status: String,
    /// Version of the daemon.
    pub version: String,
    /// Milliseconds since the daemon started.
    pub uptime_ms: u64,
}

/// Name, version and links of the daemon.
#[api(Eq)]
pub struct Info {
    /// Always `sandbox-agent`.
    pub name: String,
    /// Version of the daemon.
    pub version: String,
    /// Paths of the main resources.
    pub links: InfoLinks,
}

/// Paths of the main resources.
#[api(Eq)]
pub struct InfoLinks {
    /// Path of the health check.
    pub health: String,
    /// Path of the OpenAPI document.
    pub openapi: String,
    /// Path of the agents.
    pub agents: String,
    /// Path of the sessions.
    pub sessions: String,
    /// Path of the ACP servers.
    pub acp_servers: String,
    /// Path of the standard ACP remote transport.
    pub acp: String,
    /// Path of the metrics.
    pub metrics: String,
}
