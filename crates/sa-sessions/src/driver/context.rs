//! The context of an agent's session, from the configuration of its directory and its request: MCP servers and skills.

use crate::agent::AgentFailure;
use crate::parts::Parts;
use crate::record::Requested;
use crate::session::{Context, McpServer, Transport};
use sa_api::{McpServerConfig, SkillsConfig};
use sa_config::{ConfigError, ConfigKind};
use sa_skills::{SkillsError, SkillsFault};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Variables by name.
type Environment = BTreeMap<String, String>;

/// Puts the skills in place, and reads the MCP servers. Those of the request win over those of the directory.
pub(super) async fn prepare(
    parts: &Parts,
    session: &str,
    request: Requested,
    cwd: &Path,
    env: &Environment,
) -> Result<Context, AgentFailure> {
    // The directory existed when the session was created.
    if !cwd.is_dir() {
        let cwd = cwd.display();
        return Err(AgentFailure::Machine(format!("the session's directory {cwd} does not exist")));
    }
    let mut servers: BTreeMap<String, McpServerConfig> = configured(parts, ConfigKind::Mcp, cwd).await?;
    servers.extend(request.mcp);
    let mut skills: BTreeMap<String, SkillsConfig> = configured(parts, ConfigKind::Skills, cwd).await?;
    skills.extend(request.skills);
    let placed = parts.options.skills.place_for(session, &request.agent, cwd, &skills).await;
    let placed = placed.map_err(|error| fault(&error))?;
    for displaced in placed.displaced {
        tracing::warn!(session = displaced.session, "{}", displaced.warning);
    }
    // Of the session's environment, or else of the daemon's.
    let variable = |name: &str| env.get(name).or_else(|| parts.options.host.environment.get(name)).cloned();
    let servers = servers.into_iter().filter_map(|(name, config)| server(name, config, variable));
    Ok(Context { servers: servers.collect(), warnings: placed.warnings })
}

/// Returns a server in the form that agents take; none if it is switched off.
fn server(
    name: String,
    config: McpServerConfig,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<McpServer> {
    let pairs = |map: Environment| {
        map.into_iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>()
    };
    let (transport, enabled, config) = match config {
        McpServerConfig::Local(local) => {
            let env = pairs(local.env.unwrap_or_default());
            let config = json!({ "name": name, "command": local.command, "args": local.args, "env": env });
            (Transport::Stdio, local.enabled, config)
        }
        McpServerConfig::Remote(remote) => {
            let mut headers = remote.headers.unwrap_or_default();
            let from_env = remote.env_headers.unwrap_or_default().into_iter();
            let named = from_env.map(|(header, name)| (header, variable(&name)));
            let bearer = remote.bearer_token_env_var.map(|name| {
                ("Authorization".to_owned(), variable(&name).map(|token| format!("Bearer {token}")))
            });
            for (header, value) in named.chain(bearer) {
                let Some(value) = value else { return Some(McpServer::Incomplete { name }) };
                headers.insert(header, value);
            }
            let (transport, kind) = match remote.transport.as_deref() {
                Some("sse") => (Transport::Sse, "sse"),
                _ => (Transport::Http, "http"),
            };
            let headers = pairs(headers);
            let config = json!({ "type": kind, "name": name, "url": remote.url, "headers": headers });
            (transport, remote.enabled, config)
        }
    };
    (enabled != Some(false)).then_some(McpServer::Usable { name, transport, config })
}

fn fault(error: &SkillsError) -> AgentFailure {
    let message = error.to_string();
    match error.fault() {
        SkillsFault::Configuration => AgentFailure::Context(message),
        SkillsFault::Unreachable => AgentFailure::Unreachable(message),
        SkillsFault::Machine => AgentFailure::Machine(message),
    }
}

/// Reads what is kept for a directory.
async fn configured<T: DeserializeOwned>(
    parts: &Parts,
    kind: ConfigKind,
    cwd: &Path,
) -> Result<BTreeMap<String, T>, AgentFailure> {
    let cannot =
        |reason: String| AgentFailure::Context(format!("the configuration of the directory: {reason}"));
    let entries = parts.options.configs.of(kind, cwd).list().await.map_err(|error| match error {
        ConfigError::Disk(error) => AgentFailure::Machine(format!("cannot read its configuration: {error}")),
        error => cannot(error.to_string()),
    })?;
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
