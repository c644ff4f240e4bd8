//! Descriptions of agents: the catalog entry, what is on the disk, which credentials are there, what runs.

use crate::AgentServices;
use crate::state::AppState;
use sa_agents::{AgentSpec, Capability, Launch};
use sa_api::{
    AcpServerStatus, AgentCapabilities, AgentInfo, AgentLaunch, AgentServerState, AgentServerStatus,
    CredentialInfo, CredentialStatus, InstalledVersion, Timestamp,
};
use sa_disk::on_disk;
use sa_install::{Found, Origin};
use std::collections::{BTreeSet, HashMap};

pub(super) async fn all(state: &AppState) -> Vec<AgentInfo> {
    let (agents, running, services) = (
        state.services.hub.catalog().iter().cloned().collect::<Vec<_>>(),
        Running::now(state),
        state.services.agents.clone(),
    );
    on_disk(move || agents.iter().map(|agent| describe(agent, &running, &services)).collect()).await
}

pub(super) async fn one(state: &AppState, agent: AgentSpec) -> AgentInfo {
    let (running, services) = (Running::now(state), state.services.agents.clone());
    on_disk(move || describe(&agent, &running, &services)).await
}

/// Running processes and sessions, by agent.
struct Running {
    /// Their number, and the start of the first one.
    agents: HashMap<String, (usize, u64)>,
    now_ms: u64,
}

impl Running {
    fn now(state: &AppState) -> Self {
        let mut agents: HashMap<String, (usize, u64)> = HashMap::new();
        let servers = state.services.hub.list().into_iter();
        for server in servers.filter(|server| server.status == AcpServerStatus::Running) {
            let (count, since) = agents.entry(server.agent).or_insert((0, u64::MAX));
            (*count, *since) = (*count + 1, (*since).min(server.created_at_ms));
        }
        Self { agents, now_ms: Timestamp::now().as_millis() }
    }
}

fn describe(agent: &AgentSpec, running: &Running, services: &AgentServices) -> AgentInfo {
    let found = found(agent, services);
    let (version, path, source) = program(agent, found.as_ref());
    let (credential_status, credentials) = credentials(agent, services);
    let (count, since) = running.agents.get(&agent.id).copied().unwrap_or_default();
    AgentInfo {
        id: agent.id.clone(),
        name: agent.name.clone(),
        description: agent.description.clone(),
        launch: launch(agent),
        installed: path.is_some() || agent.is_built_in(),
        installable: agent.install.is_some(),
        built_in: agent.is_built_in(),
        version,
        path,
        source,
        versions: versions(agent, services),
        credential_status,
        credentials_available: credential_status != CredentialStatus::Missing,
        credentials,
        capabilities: capabilities(agent, services),
        running: count,
        server_status: (count > 0).then(|| AgentServerStatus {
            status: AgentServerState::Running,
            uptime_ms: running.now_ms.saturating_sub(since),
        }),
        config_options: None,
        config_error: None,
    }
}

/// Finds the program that would start. A directory that cannot be read has none.
pub(super) fn found(agent: &AgentSpec, services: &AgentServices) -> Option<Found> {
    services.launcher.installer().find(agent, None).unwrap_or_else(|error| {
        tracing::warn!(agent = %agent.id, %error, "cannot tell whether the agent is installed");
        None
    })
}

fn program(agent: &AgentSpec, found: Option<&Found>) -> (Option<String>, Option<String>, Option<String>) {
    match (&agent.launch, found) {
        (Launch::Builtin { drives: None, .. }, _) => {
            (Some(env!("CARGO_PKG_VERSION").to_owned()), None, Some("builtin".to_owned()))
        }
        (_, Some(found)) => {
            let source = match &found.origin {
                Origin::Installed(receipt) => receipt.source.clone(),
                Origin::Path => "path".to_owned(),
            };
            (found.version.clone(), Some(found.program.display().to_string()), Some(source))
        }
        (_, None) => (None, None, None),
    }
}

fn versions(agent: &AgentSpec, services: &AgentServices) -> Vec<InstalledVersion> {
    let installer = services.launcher.installer();
    let current = installer.current(&agent.id).ok().flatten().map(|receipt| receipt.version);
    let receipts = installer.versions(&agent.id).unwrap_or_default();
    receipts
        .into_iter()
        .map(|receipt| InstalledVersion {
            path: installer.program(&receipt).display().to_string(),
            current: current.as_ref() == Some(&receipt.version),
            version: receipt.version,
            source: receipt.source,
            size: receipt.size,
            installed_at: Timestamp::from_millis(receipt.installed_at_ms),
        })
        .collect()
}

/// Returns whether there is a credential, and which were found.
pub(super) fn credentials(
    agent: &AgentSpec,
    services: &AgentServices,
) -> (CredentialStatus, Vec<CredentialInfo>) {
    let Some(availability) = sa_credentials::availability(&agent.id, &services.host()) else {
        return (CredentialStatus::Unknown, Vec::new());
    };
    let status = match availability.available {
        _ if sa_credentials::needs_none(&agent.id) => CredentialStatus::NotNeeded,
        true => CredentialStatus::Available,
        false => CredentialStatus::Missing,
    };
    let sources = availability.sources.into_iter().map(|source| CredentialInfo {
        provider: source.provider,
        kind: source.kind.name().to_owned(),
        origin: source.origin.to_string(),
        expires_at: source.expires_at_ms.map(Timestamp::from_millis),
    });
    (status, sources.collect())
}

fn launch(agent: &AgentSpec) -> AgentLaunch {
    match &agent.launch {
        Launch::Builtin { drives, .. } => AgentLaunch::Builtin { program: drives.clone() },
        Launch::Command { program, args } => {
            AgentLaunch::Command { program: program.clone(), args: args.clone() }
        }
        Launch::InstallOnly { program } => AgentLaunch::InstallOnly { program: program.clone() },
    }
}

/// Returns capabilities: the catalog's, else the agent's own answer, else those of every ACP agent.
fn capabilities(agent: &AgentSpec, services: &AgentServices) -> AgentCapabilities {
    let known = match (&agent.capabilities, &agent.launch) {
        (Some(declared), _) => declared.clone(),
        (None, Launch::InstallOnly { .. }) => BTreeSet::new(),
        (None, _) => match services.probe.known(agent) {
            Some(offer) => offer.capabilities.clone(),
            None => sa_probe::every_agent_can(),
        },
    };
    let has = |capability| known.contains(&capability);
    AgentCapabilities {
        plan_mode: has(Capability::PlanMode),
        permissions: has(Capability::Permissions),
        questions: has(Capability::Questions),
        tool_calls: has(Capability::ToolCalls),
        tool_results: has(Capability::ToolResults),
        text_messages: has(Capability::TextMessages),
        images: has(Capability::Images),
        file_attachments: has(Capability::FileAttachments),
        session_lifecycle: has(Capability::SessionLifecycle),
        error_events: has(Capability::ErrorEvents),
        reasoning: has(Capability::Reasoning),
        status: has(Capability::Status),
        command_execution: has(Capability::CommandExecution),
        file_changes: has(Capability::FileChanges),
        mcp_tools: has(Capability::McpTools),
        streaming_deltas: has(Capability::StreamingDeltas),
        item_started: has(Capability::ItemStarted),
        shared_process: has(Capability::SharedProcess),
    }
}
