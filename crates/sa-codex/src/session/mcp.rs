//! MCP servers of the client, in the CLI's own form. The CLI reaches them in the background and starts a turn without those
//! that are slow, so the first prompt is held back until all of them are there or known not to be.

use super::Session;
use crate::core::Core;
use crate::native::event::McpStatus;
use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::{Session as _, invalid};
use serde_json::{Map, Value, json};

/// The time for which the CLI waits for a server to start, in seconds; by itself it gives up sooner. This is less than the prompt
/// waits, so that the client learns the CLI's reason.
const START: u64 = 28;
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

impl Session {
    /// A server that cannot be reached does not keep a thread from working.
    pub(super) fn mcp_status_changed(&mut self, core: &mut Core, status: &McpStatus) {
        let is_lost = matches!(status.status.as_str(), "failed" | "cancelled");
        if is_lost {
            core.client.mcp_unavailable(&self.conversation.id, &status.name, &reason(status));
        }
        if (is_lost || status.status == "ready") && self.mcp.heard_of(&status.name) {
            self.send_next(core);
        }
    }

    /// Reports a long wait. In the end the prompt goes out without what is not there.
    pub(super) fn enforce_mcp(&mut self, core: &mut Core) {
        let (now, limit) = (core.now.elapsed, core.host.limits.mcp);
        if self.mcp.enforce(&mut core.client, &self.conversation.id, now, limit) {
            self.send_next(core);
        }
    }
}

/// Why a server is lost, in the CLI's own words.
fn reason(status: &McpStatus) -> String {
    match &status.error {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Object(about)) => match about.get("message").and_then(Value::as_str) {
            Some(words) => words.to_owned(),
            None => Value::Object(about.clone()).to_string(),
        },
        _ => status.status.clone(),
    }
}
