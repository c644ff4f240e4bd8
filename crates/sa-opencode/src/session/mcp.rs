//! The MCP servers of a session. The first prompt is held back until all of them are there or known not to be.

use super::Session;
use crate::core::Core;
use crate::native::call::{Call, escaped};
use crate::replies::{Outcome, Then};
use sa_acp::{McpWait, Session as _};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Session {
    /// Registers the session's MCP servers.
    pub(super) fn register(&mut self, core: &mut Core) {
        let limit = core.host.limits.mcp;
        let mut missing = BTreeSet::new();
        for (name, config) in &self.workspace.servers {
            let name = core.registry.join(&self.workspace.cwd, name, config, &self.conversation.id.0);
            let call =
                Call::post("/mcp", json!({ "name": name, "config": config })).within(&self.workspace.cwd);
            core.ask(&call, Some(limit), Then::Reached(self.conversation.id.clone(), name.clone()));
            missing.insert(name);
        }
        self.link.mcp = McpWait::new(missing, core.io.now.elapsed + limit);
    }

    /// A server that cannot be reached does not keep a session from working.
    pub(crate) fn on_reached(&mut self, core: &mut Core, name: &str, outcome: &Outcome<'_>) {
        let lost = match outcome.read::<Value>() {
            Ok(all) => lost(&all[name]),
            Err(reason) => Some(reason),
        };
        if self.link.mcp.heard_of(name) {
            if let Some(reason) = lost {
                core.io.client.mcp_unavailable(&self.conversation.id, name, &reason);
            }
            if self.link.mcp.is_done() {
                self.ask_commands(core);
            }
            self.send_next(core);
        }
    }

    /// Servers that nobody wants any more are let go of.
    pub(super) fn unregister(&self, core: &mut Core) {
        for (directory, name) in core.registry.leave(&self.conversation.id.0) {
            let path = format!("/mcp/{}/disconnect", escaped(&name));
            core.order("mcp/disconnect", &Call::post(path, json!({})).within(&directory));
        }
    }
}

/// Returns the reason why an MCP server cannot be used; `None` if it can.
fn lost(status: &Value) -> Option<String> {
    let word = status["status"].as_str().unwrap_or("unknown to OpenCode");
    let reason = status["error"].as_str().unwrap_or(word);
    (word != "connected").then(|| reason.to_owned())
}
