//! What an agent's session is given from the configuration of its directory: MCP servers and skills.

use super::Owner;
use crate::agent::{AgentFailure, Connection};
use crate::parts::Parts;
use sa_api::sessions::{EventData, Notice, NoticeSeverity};
use sa_api::{McpServerConfig, SkillsConfig};
use sa_config::ConfigKind;
use sa_skills::{SkillsError, SkillsFault};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// MCP servers by name.
pub(super) type Servers = BTreeMap<String, McpServerConfig>;

impl Owner {
    /// Puts the skills in place, and gives the MCP servers. Those of the request win over those of the directory.
    pub(super) async fn prepare_surroundings(&mut self) -> Result<Servers, AgentFailure> {
        let parts = Arc::clone(&self.parts);
        let (request, cwd) = (self.record.request.clone(), self.record.cwd.clone());
        let session = self.shared.id.clone();
        let prepared = async move {
            let cwd = Path::new(&cwd);
            // The directory existed when the session was created.
            if !cwd.is_dir() {
                let cwd = cwd.display();
                return Err(AgentFailure::Machine(format!("the session's directory {cwd} does not exist")));
            }
            let mut servers: Servers = configured(&parts, ConfigKind::Mcp, cwd).await?;
            servers.extend(request.mcp);
            let mut skills: BTreeMap<String, SkillsConfig> =
                configured(&parts, ConfigKind::Skills, cwd).await?;
            skills.extend(request.skills);
            let placed = parts.skills.place_for(&session, &request.agent, cwd, &skills).await;
            let placed = placed.map_err(|error| fault(&error))?;
            for displaced in placed.displaced {
                tracing::warn!(session = displaced.session, "{}", displaced.warning);
            }
            Ok((servers, placed.warnings))
        };
        // Fetching skills can take minutes.
        let (servers, warnings) = self.unless_given_up(prepared).await?;
        for warning in warnings {
            self.warn("Skills", warning);
        }
        Ok(servers)
    }

    /// The servers in the form that agents take, without those that this agent cannot use.
    pub(super) fn usable_servers(&mut self, servers: Servers, connection: &Connection) -> Vec<Value> {
        let can = &connection.greeting().agent_capabilities.mcp_capabilities;
        let mut usable = Vec::new();
        for (name, server) in servers {
            match self.server(&name, server) {
                Some((_, None)) => {}
                Some((Transport::Http, Some(_))) if !can.http => self.cannot_use(&name, "HTTP"),
                Some((Transport::Sse, Some(_))) if !can.sse => self.cannot_use(&name, "SSE"),
                Some((_, Some(server))) => usable.push(server),
                None => {
                    self.warn("MCP", format!("the MCP server '{name}' lacks a variable of the environment"))
                }
            }
        }
        usable
    }

    fn cannot_use(&mut self, name: &str, transport: &str) {
        let agent = &self.record.request.agent;
        let description =
            format!("the MCP server '{name}' is not used: agent '{agent}' has no MCP over {transport}");
        self.warn("MCP", description);
    }

    pub(super) fn warn(&mut self, title: &str, description: String) {
        let notice = Notice {
            severity: NoticeSeverity::Warning,
            title: title.to_owned(),
            description: Some(description),
        };
        self.draft.event(EventData::Notice(notice));
    }

    /// A server as agents take it; nothing in place of one that is switched off, nothing at all if it needs a variable that is
    /// not there.
    fn server(&self, name: &str, server: McpServerConfig) -> Option<(Transport, Option<Value>)> {
        let pairs = |map: BTreeMap<String, String>| {
            map.into_iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>()
        };
        match server {
            McpServerConfig::Local(local) => {
                let env = pairs(local.env.unwrap_or_default());
                let value = json!({ "name": name, "command": local.command, "args": local.args, "env": env });
                Some((Transport::Stdio, (local.enabled != Some(false)).then_some(value)))
            }
            McpServerConfig::Remote(remote) => {
                let mut headers = remote.headers.unwrap_or_default();
                for (header, variable) in remote.env_headers.unwrap_or_default() {
                    headers.insert(header, self.variable(&variable)?);
                }
                if let Some(variable) = remote.bearer_token_env_var {
                    headers
                        .insert("Authorization".to_owned(), format!("Bearer {}", self.variable(&variable)?));
                }
                let (transport, kind) = match remote.transport.as_deref() {
                    Some("sse") => (Transport::Sse, "sse"),
                    _ => (Transport::Http, "http"),
                };
                let headers = pairs(headers);
                let value = json!({ "type": kind, "name": name, "url": remote.url, "headers": headers });
                Some((transport, (remote.enabled != Some(false)).then_some(value)))
            }
        }
    }

    /// A variable of the session's environment, or else of the daemon's.
    fn variable(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned().or_else(|| self.parts.host.environment.get(name).cloned())
    }
}

fn fault(error: &SkillsError) -> AgentFailure {
    let message = error.to_string();
    match error.fault() {
        SkillsFault::Configuration => AgentFailure::Surroundings(message),
        SkillsFault::Unreachable => AgentFailure::Unreachable(message),
        SkillsFault::Machine => AgentFailure::Machine(message),
    }
}

/// What is kept for a directory.
async fn configured<T: DeserializeOwned>(
    parts: &Parts,
    kind: ConfigKind,
    cwd: &Path,
) -> Result<BTreeMap<String, T>, AgentFailure> {
    let cannot =
        |reason: String| AgentFailure::Surroundings(format!("the configuration of the directory: {reason}"));
    let entries = parts.configs.list(kind, cwd).await.map_err(|error| cannot(error.to_string()))?;
    entries
        .into_iter()
        .map(|(name, entry)| {
            // By way of text, so that there is one reader of each type.
            let entry = serde_json::to_vec(&entry)
                .and_then(|text| serde_json::from_slice(&text))
                .map_err(|error| cannot(format!("'{name}': {error}")))?;
            Ok((name, entry))
        })
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
    Sse,
}
