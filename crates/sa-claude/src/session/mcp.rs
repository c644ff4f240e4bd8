//! MCP servers of the client. The CLI reaches them in the background and starts a turn without those that are slow, so the
//! first prompt is held back until all of them answered.

use super::Session;
use super::control::Then;
use super::opening::ControlOutcome;
use crate::core::Core;
use crate::limits::MCP_POLL;
use crate::native::line::plain;
use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::{McpTarget, McpWait, Session as _, mcp_servers};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The servers that prompts wait for.
#[derive(Debug, Default)]
pub(super) struct Mcp {
    pub(super) wait: McpWait,
    step: Step,
}

/// The exchange with the CLI.
#[derive(Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Idle,
    /// The servers were passed to the CLI. It answers nothing else before it has reached them.
    Passed,
    /// A request for their state is under way.
    Asked,
    /// The next request for their state goes out at this time.
    Next(Duration),
}

impl Mcp {
    pub(super) fn deadline(&self) -> Option<Duration> {
        let next = match self.step {
            Step::Next(at) => Some(at),
            _ => None,
        };
        [self.wait.deadline(), next].into_iter().flatten().min()
    }

    /// Returns whether the CLI answers nothing before it has reached the servers.
    pub(super) fn holds_answers(&self) -> bool {
        self.step == Step::Passed
    }
}

/// The servers of a client in the CLI's own form, by name.
pub(crate) fn servers(wanted: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    mcp_servers(wanted, "an MCP server of an unknown kind", str::to_owned, |target| {
        Some(match target {
            McpTarget::Stdio { command, args, env } => {
                json!({ "type": "stdio", "command": command, "args": args, "env": env })
            }
            McpTarget::Http { url, headers } => json!({ "type": "http", "url": url, "headers": headers }),
            McpTarget::Sse { url, headers } => json!({ "type": "sse", "url": url, "headers": headers }),
        })
    })
}

/// Returns the reason why the tools of a server are missing, if they are.
fn failure(server: &Value) -> Option<&str> {
    let status = server["status"].as_str().filter(|status| !matches!(*status, "connected" | "disabled"))?;
    Some(server["error"].as_str().unwrap_or(status))
}

impl Session {
    /// Passes the servers to the CLI. Not on its command line, where everybody on the machine could read their secrets.
    pub(super) fn send_mcp_servers(&mut self, core: &mut Core) {
        if self.workspace.servers.is_empty() {
            return;
        }
        let limit = core.host.limits.mcp;
        let names = self.workspace.servers.keys().cloned().collect();
        self.mcp = Mcp { wait: McpWait::new(names, core.io.now.elapsed + limit), step: Step::Passed };
        let request = json!({ "subtype": "mcp_set_servers", "servers": self.workspace.servers });
        self.control(core, &request, limit, Then::McpServers);
    }

    pub(super) fn on_mcp_servers_set(&mut self, core: &mut Core, answer: ControlOutcome) {
        match answer {
            Some(Ok(_)) => self.ask_mcp_status(core),
            Some(Err(error)) => {
                for name in self.workspace.servers.keys() {
                    core.io.client.mcp_unavailable(&self.conversation.id, name, &error);
                }
                self.mcp = Mcp::default();
            }
            // The wait is over by now.
            None => self.poll_mcp(core),
        }
        self.send_next(core);
    }

    fn ask_mcp_status(&mut self, core: &mut Core) {
        self.mcp.step = Step::Asked;
        self.control(core, &plain("mcp_status"), core.host.limits.control, Then::McpStatus);
    }

    /// Takes in how far the servers are. Those of the user's own settings count, too.
    pub(super) fn on_mcp_status(&mut self, core: &mut Core, answer: ControlOutcome) {
        if self.mcp.wait.is_done() {
            return;
        }
        let status = answer.and_then(Result::ok).unwrap_or_default();
        let servers = status["mcpServers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let pending = servers.iter().filter(|server| server["status"] == "pending");
        self.mcp.wait.retain(pending.filter_map(|server| server["name"].as_str().map(str::to_owned)));
        if !self.mcp.wait.is_done() {
            self.mcp.step = Step::Next(core.io.now.elapsed + MCP_POLL);
            return;
        }
        self.mcp = Mcp::default();
        for server in servers {
            if let (Some(name), Some(reason)) = (server["name"].as_str(), failure(server)) {
                core.io.client.mcp_unavailable(&self.conversation.id, name, reason);
            }
        }
        self.send_next(core);
    }

    /// Asks again, reports a wait, or gives up, when it is time.
    pub(super) fn poll_mcp(&mut self, core: &mut Core) {
        let (now, limit) = (core.io.now.elapsed, core.host.limits.mcp);
        if let Some(late) = self.mcp.wait.late(now) {
            for name in late {
                let reason = format!("it did not answer within {} s", limit.as_secs());
                core.io.client.mcp_unavailable(&self.conversation.id, &name, &reason);
            }
            self.mcp = Mcp::default();
            return;
        }
        if let Some(names) = self.mcp.wait.to_report(now) {
            core.io.client.mcp_waiting(&self.conversation.id, names.iter().map(String::as_str), limit);
        }
        if matches!(self.mcp.step, Step::Next(at) if at <= now) {
            self.ask_mcp_status(core);
        }
    }
}
