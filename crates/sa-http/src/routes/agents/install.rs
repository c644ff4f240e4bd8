//! Installing and removing agents.

use super::{Id, named};
use crate::body::JsonBody;
use crate::negotiate::{Media, check_accept, prefers};
use crate::problem::{ApiError, ApiResult};
use crate::query;
use crate::state::AppState;
use crate::stream::{self, sse};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use sa_agents::AgentSpec;
use sa_api::{
    ErrorCode, InstallAgent, InstallArtifact, InstallEvent, InstalledAgent, LatestVersion, Problem,
    UninstalledAgent,
};
use sa_install::{InstallRequest, Installed, Installer, Job};
use serde::Deserialize;

#[utoipa::path(
    post, path = "/v1/agents/{agent}/install", operation_id = "installAgent", tag = "agents",
    summary = "Install an agent",
    description = "Fetches the agent's program from the first source that has it, checks it against the published digest and puts \
        it in its place at once. Several versions live side by side. `makeCurrent` says whether this one starts when none is named; by \
        default it does, unless a newer version is current. An agent that is part of the daemon (`builtIn`) needs no installation: \
        the answer says so. The installation continues if the client disconnects; the same request again joins it. \
        `POST /v1/agents/{agent}/install/sse` streams the progress.",
    request_body(content = Option<InstallAgent>, content_type = "application/json", description = "What to install; the latest version by default"),
    responses(
        (status = 200, description = "The agent is installed", body = InstalledAgent),
        (status = 400, description = "The body does not say what to install, or the agent is none that is installed by this daemon"),
        (status = 404, description = "No such agent, or no source has this version"),
        (status = 422, description = "The agent is not built for this machine"),
        (status = 502, description = "No source could provide it; `details.attempts` has what each said"),
    )
)]
pub(crate) async fn install(
    State(state): State<AppState>,
    id: Id,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let agent = named(&state, id)?;
    let streams = prefers(&headers, Media::EventStream, Media::Json)?;
    let installation = begin(&state, &agent, body).await?;
    if streams {
        Ok(installation.progress(&state))
    } else {
        Ok(Json(installation.outcome().await?).into_response())
    }
}

#[utoipa::path(
    post, path = "/v1/agents/{agent}/install/sse", operation_id = "streamAgentInstallation", tag = "agents",
    summary = "Install an agent and stream the progress",
    description = "Installs as `POST /v1/agents/{agent}/install` does and answers with server-sent events, one `InstallEvent` each, named by its \
        `step`. The stream ends with `done` or `failed`. The installation continues if the client disconnects; the same request again joins it.",
    request_body(content = Option<InstallAgent>, content_type = "application/json", description = "What to install; the latest version by default"),
    responses(
        (status = 200, description = "The progress of the installation", content((InstallEvent = "text/event-stream"))),
        (status = 400, description = "The body does not say what to install, or the agent is none that is installed by this daemon"),
    )
)]
pub(crate) async fn install_stream(
    State(state): State<AppState>,
    id: Id,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let agent = named(&state, id)?;
    check_accept(&headers, Media::EventStream)?;
    Ok(begin(&state, &agent, body).await?.progress(&state))
}

/// An installation that was asked for.
enum Installation {
    /// The agent is part of the daemon.
    BuiltIn(InstalledAgent),
    Running(Installer, Job),
}

/// Starts the installation that the body asks for, or joins it.
async fn begin(state: &AppState, agent: &AgentSpec, body: JsonBody) -> ApiResult<Installation> {
    let wanted: InstallAgent = body.read_or_default().await?;
    if agent.is_built_in() {
        return built_in(state, agent, wanted.agent_version.as_deref()).map(Installation::BuiltIn);
    }
    let request = InstallRequest {
        version: wanted.agent_version,
        reinstall: wanted.reinstall.unwrap_or(false),
        source: wanted.source,
        make_current: wanted.make_current,
        ..InstallRequest::default()
    };
    let installer = state.agents.launcher.installer().clone();
    let job = installer.install(agent, request);
    Ok(Installation::Running(installer, job))
}

impl Installation {
    /// Waits for the end of the installation.
    async fn outcome(self) -> ApiResult<InstalledAgent> {
        match self {
            Self::BuiltIn(agent) => Ok(agent),
            Self::Running(installer, mut job) => Ok(describe(&installer, job.outcome().await?)),
        }
    }

    /// Returns the response that streams the installation.
    fn progress(self, state: &AppState) -> Response {
        let events = match self {
            Self::BuiltIn(agent) => futures_util::stream::iter([InstallEvent::Done(agent)]).left_stream(),
            Self::Running(installer, job) => events(installer, job).right_stream(),
        };
        let frames = events.map(|event| sse::event(event.name(), None, &event));
        stream::response(state, frames.fuse().boxed())
    }
}

fn events(installer: Installer, job: Job) -> impl Stream<Item = InstallEvent> {
    futures_util::stream::unfold(Some(job), move |job| {
        let installer = installer.clone();
        async move {
            let mut job = job?;
            if let Some(progress) = job.next().await {
                return Some((progress, Some(job)));
            }
            let end = match job.outcome().await {
                Ok(installed) => InstallEvent::Done(describe(&installer, installed)),
                Err(error) => InstallEvent::Failed(*ApiError::from(error).0),
            };
            Some((end, None))
        }
    })
}

/// An agent that is part of the daemon. It has one version, the daemon's.
fn built_in(state: &AppState, agent: &AgentSpec, version: Option<&str>) -> ApiResult<InstalledAgent> {
    let own = env!("CARGO_PKG_VERSION");
    if let Some(other) = version.filter(|version| ![own, "latest"].contains(version)) {
        let detail = format!("'{}' is built in; its only version is {own}, not '{other}'", agent.id);
        return Err(Problem::new(ErrorCode::VersionNotFound, detail).with_agent(&agent.id).into());
    }
    Ok(InstalledAgent {
        agent: agent.id.clone(),
        version: own.to_owned(),
        path: state.agents.launcher.this_program().display().to_string(),
        source: "builtin".to_owned(),
        already_installed: true,
        already_installed_04: true,
        built_in: true,
        current: true,
        artifacts: Vec::new(),
    })
}

fn describe(installer: &Installer, installed: Installed) -> InstalledAgent {
    let path = installer.program(&installed.receipt).display().to_string();
    let current = installer.current(&installed.receipt.agent).ok().flatten();
    let current = current.is_some_and(|current| current.version == installed.receipt.version);
    let Installed { receipt, already_installed } = installed;
    let artifact = InstallArtifact {
        kind: "native_agent".to_owned(),
        path: path.clone(),
        source: receipt.source.clone(),
        version: receipt.version.clone(),
    };
    InstalledAgent {
        agent: receipt.agent,
        version: receipt.version,
        path,
        source: receipt.source,
        already_installed,
        already_installed_04: already_installed,
        built_in: false,
        current,
        artifacts: vec![artifact],
    }
}

/// Query of the removal of an agent. A misspelt version must not mean every version.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UninstallQuery {
    agent_version: Option<String>,
    version: Option<String>,
}

#[utoipa::path(
    delete, path = "/v1/agents/{agent}", operation_id = "uninstallAgent", tag = "agents",
    summary = "Uninstall an agent",
    description = "Agents that are running keep running. Without `agentVersion` all versions are removed. If nothing was installed, \
        which is always so for an agent that is part of the daemon, `removed` is empty.",
    params(
        ("agentVersion" = Option<String>, Query, description = "Remove only this version"),
        ("version" = Option<String>, Query, deprecated, description = "The same as `agentVersion`"),
    ),
    responses(
        (status = 200, description = "The versions that were removed", body = UninstalledAgent),
        (status = 400, description = "The id is not UTF-8, the version is not one, or a parameter is not known"),
    )
)]
pub(crate) async fn uninstall(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<UninstallQuery>, QueryRejection>,
) -> ApiResult<Json<UninstalledAgent>> {
    let agent = named(&state, id)?;
    let Query(query) = query?;
    let version = query::either(("agentVersion", query.agent_version), ("version", query.version))?;
    let installer = state.agents.launcher.installer();
    let removed = installer.uninstall(&agent.id, version.as_deref()).await?;
    Ok(Json(UninstalledAgent { agent: agent.id, removed }))
}

#[utoipa::path(
    get, path = "/v1/agents/{agent}/latest", operation_id = "getLatestAgentVersion", tag = "agents",
    summary = "Get the latest version of an agent",
    description = "Asks the agent's sources, in their order. `outdated` is absent if no version is installed.",
    responses(
        (status = 200, description = "The newest version, and the installed one", body = LatestVersion),
        (status = 400, description = "The agent is none that is installed by this daemon"),
        (status = 422, description = "The agent is not built for this machine"),
        (status = 502, description = "No source answered; `details.attempts` has what each said"),
    )
)]
pub(crate) async fn latest(State(state): State<AppState>, id: Id) -> ApiResult<Json<LatestVersion>> {
    let agent = named(&state, id)?;
    Ok(Json(state.agents.launcher.installer().check_latest(&agent).await?))
}
