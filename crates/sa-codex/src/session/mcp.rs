//! MCP servers of the client, in the CLI's own form. The CLI reaches them in the background and starts a turn without those
//! that are slow, so the first prompt is held back until all of them are there or known not to be.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::{McpTarget, Session as _, mcp_servers, tool_prefix};
use serde_json::{Map, Value, json};

/// The time for which the CLI waits for a server to start, in seconds; by itself it gives up sooner. This is less than the prompt
/// waits, so that the client learns the CLI's reason.
const START: u64 = 28;
const TIMEOUT: &str = "startup_timeout_sec";

pub(crate) fn servers(wanted: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    let unreachable = "Codex reaches MCP servers over stdio and http only";
    mcp_servers(wanted, unreachable, tool_prefix, |target| match target {
        McpTarget::Stdio { command, args, env } => {
            Some(json!({ "command": command, "args": args, "env": env, TIMEOUT: START }))
        }
        McpTarget::Http { url, headers } => {
            Some(json!({ "url": url, "http_headers": headers, TIMEOUT: START }))
        }
        McpTarget::Sse { .. } => None,
    })
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
