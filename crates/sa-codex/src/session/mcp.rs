//! MCP servers of the client, in the CLI's own form. The CLI reaches them in the background and starts a turn without those
//! that are slow, so the first prompt is held back until all of them are there or known not to be.

use super::Session;
use crate::core::Core;
use crate::native::event::McpStatus;
use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::invalid;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long the CLI waits for a server to start, in seconds; by itself it gives up sooner.
const START: u64 = 30;
const TIMEOUT: &str = "startup_timeout_sec";

/// The servers by name.
pub(crate) fn servers(wanted: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    let mut servers = Map::new();
    for server in wanted {
        let (name, server) = match server {
            McpServer::Stdio(stdio) => {
                let env: Map<_, _> =
                    stdio.env.into_iter().map(|variable| (variable.name, variable.value.into())).collect();
                (
                    stdio.name,
                    json!({ "command": stdio.command, "args": stdio.args, "env": env, TIMEOUT: START }),
                )
            }
            McpServer::Http(http) => {
                let headers: Map<_, _> =
                    http.headers.into_iter().map(|header| (header.name, header.value.into())).collect();
                (http.name, json!({ "url": http.url, "http_headers": headers, TIMEOUT: START }))
            }
            _ => return Err(invalid("Codex reaches MCP servers over stdio and http only")),
        };
        servers.insert(plain(&name), server);
    }
    Ok(servers)
}

/// The name of a server becomes a part of the names of its tools, which allow little.
fn plain(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if name.is_empty() { "server".to_owned() } else { name }
}

/// Servers that nothing was heard of yet, by name, and until when that is waited for.
#[derive(Debug, Default)]
pub(super) struct McpWait {
    missing: BTreeSet<String>,
    give_up: Duration,
}

impl McpWait {
    /// All servers of a thread that is being opened.
    pub(super) fn of(servers: &Map<String, Value>, give_up: Duration) -> Self {
        Self { missing: servers.keys().cloned().collect(), give_up }
    }

    pub(super) fn is_done(&self) -> bool {
        self.missing.is_empty()
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        (!self.is_done()).then_some(self.give_up)
    }
}

impl Session {
    /// A server that cannot be reached does not keep a thread from working.
    pub(super) fn mcp_status_changed(&mut self, core: &mut Core, status: &McpStatus) {
        let is_lost = matches!(status.status.as_str(), "failed" | "cancelled");
        if is_lost {
            let unavailable =
                json!([{ "name": status.name, "status": status.status, "error": status.error }]);
            core.remark(&self.id, "mcp", json!({ "unavailable": unavailable }));
        }
        if (is_lost || status.status == "ready") && self.mcp.missing.remove(&status.name) {
            self.send_next(core);
        }
    }

    /// The prompt goes out without what is not there.
    pub(super) fn enforce_mcp(&mut self, core: &mut Core) {
        if self.mcp.deadline().is_some_and(|give_up| give_up <= core.now.elapsed) {
            let missing = std::mem::take(&mut self.mcp.missing);
            core.remark(&self.id, "mcp", json!({ "late": missing }));
            self.send_next(core);
        }
    }
}
