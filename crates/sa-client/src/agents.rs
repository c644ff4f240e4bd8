//! The operations on agents.

use crate::client::{EVENT_STREAM, JSON};
use crate::{Client, ClientError, EventStream};
use reqwest::{Method, RequestBuilder};
use sa_api::{
    AgentInfo, AgentList, AgentModels, AgentModes, AgentPatch, InstallAgent, InstallEvent, InstalledAgent,
    LatestVersion, UninstalledAgent,
};

/// How much is wanted of an agent's description.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentQuery {
    /// Also what the installed agent offers, asked from itself.
    pub config: bool,
    /// True to ignore the earlier answer of the agent.
    pub no_cache: bool,
}

impl AgentQuery {
    fn add_to(self, request: RequestBuilder) -> RequestBuilder {
        let flags = [("config", self.config), ("noCache", self.no_cache)];
        request.query(&flags.into_iter().filter(|(_, wanted)| *wanted).collect::<Vec<_>>())
    }
}

impl Client {
    /// The agents that the daemon knows.
    pub async fn list_agents(&self, query: AgentQuery) -> Result<AgentList, ClientError> {
        self.ask(query.add_to(self.request(Method::GET, &["v1", "agents"], JSON)?)).await
    }

    pub async fn get_agent(&self, agent: &str, query: AgentQuery) -> Result<AgentInfo, ClientError> {
        self.ask(query.add_to(self.request(Method::GET, &["v1", "agents", agent], JSON)?)).await
    }

    /// Installs an agent and waits until it is.
    pub async fn install_agent(
        &self,
        agent: &str,
        wanted: &InstallAgent,
    ) -> Result<InstalledAgent, ClientError> {
        self.post_json(&["v1", "agents", agent, "install"], wanted).await
    }

    /// Installs an agent and streams the progress. The installation continues if the stream is dropped.
    pub async fn install_agent_events(
        &self,
        agent: &str,
        wanted: &InstallAgent,
    ) -> Result<InstallEvents, ClientError> {
        let request = self.request(Method::POST, &["v1", "agents", agent, "install", "sse"], EVENT_STREAM)?;
        let stream = EventStream::new(self.send(request.json(wanted)).await?)?;
        Ok(InstallEvents { stream })
    }

    /// Makes an installed version the one that starts unless a session names another.
    pub async fn update_agent(&self, agent: &str, patch: &AgentPatch) -> Result<AgentInfo, ClientError> {
        let request = self.request(Method::PATCH, &["v1", "agents", agent], JSON)?;
        self.ask(request.json(patch)).await
    }

    /// Removes one installed version of an agent, or all.
    pub async fn uninstall_agent(
        &self,
        agent: &str,
        version: Option<&str>,
    ) -> Result<UninstalledAgent, ClientError> {
        let request = self.request(Method::DELETE, &["v1", "agents", agent], JSON)?;
        self.ask(request.query(&version.map(|version| [("agentVersion", version)]))).await
    }

    /// The newest version of an agent that is published, and the installed one.
    pub async fn latest_agent_version(&self, agent: &str) -> Result<LatestVersion, ClientError> {
        self.get_json(&["v1", "agents", agent, "latest"]).await
    }

    /// The modes of an agent, and what each combination does.
    pub async fn agent_modes(&self, agent: &str, no_cache: bool) -> Result<AgentModes, ClientError> {
        self.offer(agent, "modes", no_cache).await
    }

    pub async fn agent_models(&self, agent: &str, no_cache: bool) -> Result<AgentModels, ClientError> {
        self.offer(agent, "models", no_cache).await
    }

    async fn offer<T: serde::de::DeserializeOwned>(
        &self,
        agent: &str,
        what: &str,
        no_cache: bool,
    ) -> Result<T, ClientError> {
        let request = self.request(Method::GET, &["v1", "agents", agent, what], JSON)?;
        self.ask(AgentQuery { config: false, no_cache }.add_to(request)).await
    }
}

/// An installation that is followed.
#[derive(Debug)]
pub struct InstallEvents {
    stream: EventStream,
}

impl InstallEvents {
    /// The next step, or the end: `done` or `failed` is the last event. None after it, or when the daemon stopped before.
    pub async fn next(&mut self) -> Result<Option<InstallEvent>, ClientError> {
        let Some(event) = self.stream.next().await? else { return Ok(None) };
        let step = serde_json::from_slice(event.data.as_bytes());
        step.map(Some).map_err(|error| ClientError::protocol(format!("{error} in a step {:?}", event.event)))
    }
}
