//! MCP servers of the client. The CLI reaches them in the background and starts a turn without those that are slow, so the
//! first prompt is held back until all of them answered.

use super::Session;
use super::control::Then;
use super::opening::Answer;
use crate::core::Core;
use crate::limits::MCP_POLL;
use crate::native::answer::McpStatus;
use crate::native::line::{McpServer, Request};
use agent_client_protocol_schema::v1::{Error, HttpHeader, McpServer as Wanted};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// How far the servers are.
#[derive(Debug, Default)]
pub(super) enum McpWait {
    #[default]
    Done,
    /// They are being told to the CLI, or it has been asked how far they are.
    Asked { give_up: Duration },
    /// It is asked again at `next`.
    Waiting { next: Duration, give_up: Duration },
}

impl McpWait {
    pub(super) fn deadline(&self) -> Option<Duration> {
        match self {
            Self::Done => None,
            Self::Asked { give_up } => Some(*give_up),
            Self::Waiting { next, give_up } => Some(*next.min(give_up)),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }
}

/// The servers of a client in the CLI's own form, by name.
pub(crate) fn servers(wanted: Vec<Wanted>) -> Result<BTreeMap<String, McpServer>, Error> {
    let headers =
        |headers: Vec<HttpHeader>| headers.into_iter().map(|header| (header.name, header.value)).collect();
    let mut servers = BTreeMap::new();
    for server in wanted {
        let (name, server) = match server {
            Wanted::Stdio(stdio) => {
                let env = stdio.env.into_iter().map(|variable| (variable.name, variable.value)).collect();
                let command = stdio.command.to_string_lossy().into_owned();
                (stdio.name, McpServer::Stdio { command, args: stdio.args, env })
            }
            Wanted::Http(http) => {
                (http.name, McpServer::Http { url: http.url, headers: headers(http.headers) })
            }
            Wanted::Sse(sse) => (sse.name, McpServer::Sse { url: sse.url, headers: headers(sse.headers) }),
            _ => return Err(sa_acp::invalid("an MCP server of an unknown kind")),
        };
        servers.insert(name, server);
    }
    Ok(servers)
}

impl Session {
    /// Tells the CLI of the servers. Not on its command line, where everybody on the machine could read their secrets.
    pub(super) fn send_mcp_servers(&mut self, core: &mut Core) {
        if self.place.servers.is_empty() {
            return;
        }
        let limit = core.host.limits.mcp;
        self.mcp = McpWait::Asked { give_up: core.now.elapsed + limit };
        let request = Request::McpSetServers { servers: self.place.servers.clone() };
        self.control(core, &request, limit, Then::McpServers);
    }

    pub(super) fn mcp_servers_set(&mut self, core: &mut Core, answer: Answer) {
        match answer {
            Some(Ok(_)) => self.ask_mcp_status(core),
            Some(Err(error)) => {
                core.remark(&self.id, "mcp", json!({ "error": error }));
                self.mcp = McpWait::Done;
            }
            None => self.give_mcp_up(core),
        }
        self.send_next(core);
    }

    fn ask_mcp_status(&mut self, core: &mut Core) {
        self.control(core, &Request::McpStatus, core.host.limits.control, Then::McpStatus);
    }

    pub(super) fn mcp_status_known(&mut self, core: &mut Core, answer: Answer) {
        let Some(give_up) = self.mcp.deadline() else { return };
        let status = answer.and_then(Result::ok).and_then(|value| McpStatus::deserialize(value).ok());
        let pending = status.as_ref().is_some_and(McpStatus::is_pending);
        if pending && core.now.elapsed < give_up {
            self.mcp = McpWait::Waiting { next: core.now.elapsed + MCP_POLL, give_up };
            return;
        }
        self.mcp = McpWait::Done;
        let failed: Vec<_> = status
            .unwrap_or_default()
            .mcp_servers
            .into_iter()
            .filter_map(|server| {
                let status = server.status.filter(|status| status != "connected" && status != "disabled")?;
                Some(json!({ "name": server.name, "status": status, "error": server.error }))
            })
            .collect();
        if !failed.is_empty() {
            core.remark(&self.id, "mcp", json!({ "unavailable": failed }));
        }
        self.send_next(core);
    }

    /// Asks again, or gives up, when it is time.
    pub(super) fn poll_mcp(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        match self.mcp {
            McpWait::Asked { give_up } | McpWait::Waiting { give_up, .. } if give_up <= now => {
                self.give_mcp_up(core);
            }
            McpWait::Waiting { next, give_up } if next <= now => {
                self.mcp = McpWait::Asked { give_up };
                self.ask_mcp_status(core);
            }
            _ => {}
        }
    }

    /// The prompt goes out without what is not there.
    fn give_mcp_up(&mut self, core: &mut Core) {
        core.remark(&self.id, "mcp", json!({ "error": "some servers did not answer in time" }));
        self.mcp = McpWait::Done;
    }
}
