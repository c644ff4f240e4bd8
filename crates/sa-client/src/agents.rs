//! The operations on agents.

use crate::client::EVENT_STREAM;
use crate::operations::operations;
use crate::{Client, ClientError, EventStream, Result};
use reqwest::Method;
use sa_api::{
    AgentInfo, AgentList, AgentModels, AgentModes, AgentPatch, InstallAgent, InstallEvent, InstalledAgent,
    LatestVersion, UninstalledAgent,
};
use serde::Serialize;
use std::ops::Not;

/// The parts of an agent's description that are wanted.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentQuery {
    /// Also what the installed agent offers, asked from itself.
    #[serde(skip_serializing_if = "Not::not")]
    pub config: bool,
    /// True to ignore the earlier answer of the agent.
    #[serde(skip_serializing_if = "Not::not")]
    pub no_cache: bool,
}

operations! {
    /// Lists the agents that the daemon knows.
    list_agents(query: AgentQuery) -> AgentList = GET ["v1", "agents"], query query;
    get_agent(agent: &str, query: AgentQuery) -> AgentInfo = GET ["v1", "agents", agent], query query;
    /// Installs an agent and waits until it is.
    install_agent(agent: &str, wanted: &InstallAgent) -> InstalledAgent =
        POST ["v1", "agents", agent, "install"], json wanted;
    /// Makes an installed version the one that starts unless a session names another.
    update_agent(agent: &str, patch: &AgentPatch) -> AgentInfo = PATCH ["v1", "agents", agent], json patch;
    /// Removes one installed version of an agent, or all.
    uninstall_agent(agent: &str, version: Option<&str>) -> UninstalledAgent =
        DELETE ["v1", "agents", agent], query version.map(|version| [("agentVersion", version)]);
    /// Returns the newest version of an agent that is published, and the installed one.
    latest_agent_version(agent: &str) -> LatestVersion = GET ["v1", "agents", agent, "latest"];
    /// Returns the modes of an agent, and what each combination does.
    agent_modes(agent: &str, no_cache: bool) -> AgentModes =
        GET ["v1", "agents", agent, "modes"], query AgentQuery { config: false, no_cache };
    agent_models(agent: &str, no_cache: bool) -> AgentModels =
        GET ["v1", "agents", agent, "models"], query AgentQuery { config: false, no_cache };
}

impl Client {
    /// Installs an agent and streams the progress. The installation continues if the stream is dropped.
    pub async fn install_agent_events(&self, agent: &str, wanted: &InstallAgent) -> Result<InstallEvents> {
        let request = self.request(Method::POST, &["v1", "agents", agent, "install", "sse"], EVENT_STREAM)?;
        let stream = EventStream::new(self.send(request.json(wanted)).await?)?;
        Ok(InstallEvents { stream })
    }
}

/// An installation that is followed.
#[derive(Debug)]
pub struct InstallEvents {
    stream: EventStream,
}

impl InstallEvents {
    /// The next step, or the end: `done` or `failed` is the last event. None after it, or when the daemon stopped before.
    pub async fn next(&mut self) -> Result<Option<InstallEvent>> {
        let Some(event) = self.stream.next().await? else { return Ok(None) };
        let step = serde_json::from_slice(event.data.as_bytes());
        step.map(Some).map_err(|error| ClientError::protocol(format!("{error} in a step {:?}", event.event)))
    }
}
