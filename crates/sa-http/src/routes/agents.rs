//! Agents that can be started.

use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use sa_agents::{AgentSpec, Capability, Launch};
use sa_api::{AcpServerStatus, AgentCapabilities, AgentInfo, AgentLaunch, AgentList, ErrorCode, Problem};
use std::collections::HashMap;

/// All agents.
#[utoipa::path(
    get, path = "/v1/agents", operation_id = "listAgents", tag = "agents",
    summary = "All agents",
    responses((status = 200, description = "Every agent this daemon can start", body = AgentList))
)]
pub(crate) async fn list(State(state): State<AppState>) -> Json<AgentList> {
    let running = running(&state);
    Json(AgentList { agents: state.hub.catalogue().iter().map(|agent| describe(agent, &running)).collect() })
}

/// One agent.
#[utoipa::path(
    get, path = "/v1/agents/{agent}", operation_id = "getAgent", tag = "agents",
    summary = "One agent",
    params(("agent" = String, Path, description = "The agent's id")),
    responses(
        (status = 200, description = "The agent", body = AgentInfo),
        (status = 400, description = "The id is not UTF-8", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such agent", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
) -> ApiResult<Json<AgentInfo>> {
    let Path(id) = path?;
    let agent = state.hub.catalogue().get(&id).ok_or_else(|| {
        ApiError::from(
            Problem::new(ErrorCode::NotFound, format!("there is no agent '{id}'")).with_agent(id.clone()),
        )
    })?;
    Ok(Json(describe(agent, &running(&state))))
}

fn running(state: &AppState) -> HashMap<String, usize> {
    let mut running = HashMap::new();
    for server in state.hub.list().into_iter().filter(|server| server.status == AcpServerStatus::Running) {
        *running.entry(server.agent).or_default() += 1;
    }
    running
}

fn describe(agent: &AgentSpec, running: &HashMap<String, usize>) -> AgentInfo {
    AgentInfo {
        id: agent.id.clone(),
        name: agent.name.clone(),
        description: agent.description.clone(),
        launch: launch(agent),
        installed: agent.install.is_none(),
        installable: agent.install.is_some(),
        version: None,
        path: None,
        source: None,
        versions: Vec::new(),
        credentials_available: true,
        credentials: Vec::new(),
        capabilities: capabilities(agent),
        running: running.get(&agent.id).copied().unwrap_or_default(),
        server_status: None,
        config_options: None,
        config_error: None,
    }
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

fn capabilities(agent: &AgentSpec) -> AgentCapabilities {
    let has = |capability| agent.capabilities.as_ref().is_some_and(|all| all.contains(&capability));
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
