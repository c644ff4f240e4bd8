//! MCP servers of the client, in the CLI's own form. The CLI reaches them in the background and starts a turn without those
//! that are slow, so the first prompt is held back until all of them are there or known not to be.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::{Session as _, invalid, tool_prefix};
use serde_json::{Map, Value, json};

/// The time for which the CLI waits for a server to start, in seconds; by itself it gives up sooner. This is less than the prompt
/// waits, so that the client learns the CLI's reason.
const START: u64 = 28;
const TIMEOUT: &str = "startup_timeout_sec";

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
        servers.insert(tool_prefix(&name), server);
    }
    Ok(servers)
}

impl Session {
    /// A server that cannot be reached does not keep a thread from working.
    pub(super) fn on_mcp_status_changed(&mut self, core: &mut Core, status: &Value) {
        let name = status["name"].as_str().unwrap_or_default();
        let is_lost = status["status"] == "failed" || status["status"] == "cancelled";
        if is_lost {
            core.io.client.mcp_unavailable(&self.conversation.id, name, &reason(status));
        }
        if (is_lost || status["status"] == "ready") && self.link.mcp.heard_of(name) {
            self.send_next(core);
        }
    }

    /// Reports a long wait. In the end the prompt goes out without what is not there.
    pub(super) fn enforce_mcp(&mut self, core: &mut Core) {
        let (now, limit) = (core.io.now.elapsed, core.host.options.limits.mcp);
        if self.link.mcp.enforce(&mut core.io.client, &self.conversation.id, now, limit) {
            self.send_next(core);
        }
    }
}

/// Returns the CLI's reason why a server is lost.
fn reason(status: &Value) -> String {
    let error = &status["error"];
    match error.as_str().or(error["message"].as_str()) {
        Some(words) => words.to_owned(),
        None if error.is_object() => error.to_string(),
        None => status["status"].as_str().unwrap_or_default().to_owned(),
    }
}
